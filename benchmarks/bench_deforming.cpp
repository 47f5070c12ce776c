// Times whole steps of the deforming detector on the CPU, on two successive frames of real
// sequences, with one thread and with all, in turns with two others in the same run. Continuous
// steps are compared with Embree's rtcCollide for the swept boxes alone, without building its tree
// (bar: at most twice that); discrete ones with CGAL's self_intersections, sequential or parallel
// (bar: at most a quarter of the faster). Other modes measure the paper's claims, and steps from
// frame to frame of simulated cloth.
//
// Ratios by the clock need a machine that does nothing else: where threads share a core,
// contestants that use several look slow.
//
//     bench_deforming [--stages] [--threads N] [--sequence NAME]
//     bench_deforming --claims [--sequence NAME]
//     bench_deforming --patches [--sequence NAME] [--threads N]
//     bench_deforming --static [--threads N]      ground that stays, a sheet that moves
//     bench_deforming --rest [--threads N]        a sheet within several edges of itself
//     bench_deforming --rounds [--sequence NAME] [--threads N]
//     bench_deforming --frames DIR... [--every N] [--search NAME] [--threads N]
//
// DIR is a folder of frames that `graze simulate` writes, see frame_steps.h.
#include <functional>
#include <thread>

#include "benchmarks/cgal_intersections.h"
#include "benchmarks/embree_pairs.h"
#include "benchmarks/frame_steps.h"
#include "benchmarks/paper_claims.h"
#include "benchmarks/patch_steps.h"
#include "benchmarks/rest_steps.h"
#include "benchmarks/static_steps.h"
#include "broad_phase/element_leaf_units.h"

namespace graze {
namespace {

constexpr int kRoundCount = 11;
constexpr double kContinuousBar = 2;   // times Embree's time
constexpr double kDiscreteBar = 0.25;  // times CGAL's time

struct HostMachine {
    using Executor = CpuExecutor;
    using Positions = HostPositions;
    static constexpr Residence kResidence = Residence::host;
    static Device device() { return Device::cpu(); }
    static Executor executor() { return Executor(); }
};
using Steps = DeformingSteps<HostMachine>;

// One of several methods that are compared, and the count of what it finds.
struct Contestant {
    std::string name;
    std::function<std::size_t()> work;
    std::size_t found = 0;
    CallTimes times = {};
};

// Runs the contestants in turns, so that other work on the machine slows down all alike.
void run_in_turns(std::vector<Contestant>& contestants) {
    for (int round = 0; round < 1 + kRoundCount; ++round) {
        for (Contestant& contestant : contestants) {
            CallTimes warming;
            CallTimes& times = round == 0 ? warming : contestant.times;
            times.time([&] { contestant.found = contestant.work(); });
        }
    }
}

void print_row(const Contestant& contestant, const char* what) {
    const CallTime time = contestant.times.median();
    std::printf("    %-30s %9.2f %9.2f  %8zu %-13s", contestant.name.c_str(), time.wall, time.cpu,
                contestant.found, what);
}
void print_ratio(const CallTime& ours, const CallTime& theirs, double bar) {
    const double ratio = ours.wall / theirs.wall;
    std::printf(" %6.2f %6.2f  %s %.2f", ratio, ours.cpu / theirs.cpu,
                ratio <= bar ? "within" : "ABOVE", bar);
}

struct SearchSteps {
    const char* name;
    Steps steps;
};

// Prints the rows of graze; the bar is a multiple of `theirs`. Returns whether all searches found
// the same.
bool print_ours(const std::vector<Contestant>& contestants, std::size_t first, const char* what,
                const CallTime& theirs, double bar) {
    bool is_right = true;
    for (std::size_t i = first; i < contestants.size(); ++i) {
        const Contestant& ours = contestants[i];
        const bool is_same = ours.found == contestants[first].found;
        print_row(ours, what);
        print_ratio(ours.times.median(), theirs, bar);
        std::printf("%s\n", is_same ? "" : "  OTHER RESULTS");
        is_right = is_right && is_same;
    }
    return is_right;
}

bool run_continuous(std::vector<SearchSteps>& searches, const DeformingSequence& sequence,
                    int thread_count) {
    const std::vector<Aabb> boxes = swept_boxes(sequence.t0, sequence.t1, sequence.triangles);
    EmbreePairs embree(boxes, thread_count);
    std::vector<Contestant> contestants;
    contestants.push_back({"Embree, tree", [&] { return embree.build(), boxes.size(); }});
    contestants.push_back({"Embree, rtcCollide", [&] { return embree.collide(); }});
    for (SearchSteps& search : searches)
        contestants.push_back({std::string("continuous, ") + search.name,
                               [&] { return search.steps.run_continuous(); }});
    run_in_turns(contestants);
    print_row(contestants[0], "boxes");
    std::printf("\n");
    print_row(contestants[1], "pairs");
    std::printf("\n");
    // The time of Embree's tree is left out, which is the stricter reading of the bar.
    return print_ours(contestants, 2, "impacts", contestants[1].times.median(), kContinuousBar);
}

// CGAL's parallel algorithm may take longer than its sequential one; the faster counts.
bool run_discrete(std::vector<SearchSteps>& searches, const DeformingSequence& sequence,
                  int thread_count) {
    const CgalIntersections cgal(sequence.t0, sequence.triangles);
    std::vector<Contestant> contestants;
    contestants.push_back({"CGAL, sequential", [&] { return cgal.find(1); }});
    if (thread_count > 1)
        contestants.push_back({"CGAL, parallel", [&] { return cgal.find(thread_count); }});
    const std::size_t first = contestants.size();
    for (SearchSteps& search : searches)
        contestants.push_back(
            {std::string("discrete, ") + search.name, [&] { return search.steps.run_discrete(); }});
    run_in_turns(contestants);
    CallTime theirs = contestants[0].times.median();
    bool is_same = true;
    for (std::size_t i = 0; i < first; ++i) {
        const CallTime time = contestants[i].times.median();
        print_row(contestants[i], "intersections");
        std::printf("\n");
        if (time.wall < theirs.wall) theirs = time;
        is_same = is_same && contestants[i].found == contestants[first].found;
    }
    if (!is_same) std::printf("    OTHER INTERSECTIONS THAN CGAL'S\n");
    return print_ours(contestants, first, "intersections", theirs, kDiscreteBar) && is_same;
}

bool run(const DeformingSequence& sequence, int thread_count, bool shows_stages) {
    std::vector<SearchSteps> searches;
    for (const NamedSearch& search : kPairSearches)
        searches.push_back({search.name, Steps(sequence, search.search, thread_count)});
    std::printf("%s, %zu triangles, %d thread%s\n    %-30s %9s %9s  %22s %13s  bar\n",
                sequence.name.c_str(), sequence.triangles.size(), thread_count,
                thread_count == 1 ? "" : "s", "median of 11", "wall ms", "CPU ms", "found",
                "ratios");
    bool is_right = run_continuous(searches, sequence, thread_count);
    is_right = run_discrete(searches, sequence, thread_count) && is_right;
    if (!shows_stages) return is_right;
    for (SearchSteps& search : searches) {
        std::printf("      stages of continuous, %s\n", search.name);
        search.steps.time_stages(&Steps::run_continuous, kRoundCount).print();
        std::printf("      stages of discrete, %s\n", search.name);
        search.steps.time_stages(&Steps::run_discrete, kRoundCount).print();
    }
    return is_right;
}

void print_rows(const std::string& title, std::vector<Contestant>& contestants, const char* what) {
    run_in_turns(contestants);
    std::printf("%s\n    %-30s %9s %9s\n", title.c_str(), "median of 11", "wall ms", "CPU ms");
    for (const Contestant& contestant : contestants) {
        print_row(contestant, what);
        std::printf("\n");
    }
}

// The ground is a part like others, or static.
void run_static(int thread_count) {
    const SheetOverGround scene(405, 40);
    DeformingTopology still = scene.topology;
    still.static_parts = {SheetOverGround::kGround};
    const Device device = Device::cpu(thread_count);
    DeformingDetector all(scene.topology, device), split(still, device);
    std::vector<Contestant> contestants;
    for (DeformingDetector* detector : {&all, &split}) {
        const std::string name = detector == &all ? "all moving" : "ground static";
        contestants.push_back({"impacts, " + name, [&scene, detector] {
                                   return detector->find_impacts(scene.t0, scene.t1).size();
                               }});
        contestants.push_back({"proximities, " + name, [&scene, detector] {
                                   return detector->find_proximities(scene.t1, 0.02).size();
                               }});
    }
    print_rows(
        "ground of 328,050 triangles, sheet of 3,200, threads: " + std::to_string(thread_count),
        contestants, "found");
}

// Within so many edges, with and without the shape at rest.
void run_rest(int thread_count) {
    const RestingSheet sheet(100);
    DeformingTopology without = sheet.topology;
    without.rest_positions.clear();
    const Device device = Device::cpu(thread_count);
    DeformingDetector all(without, device), resting(sheet.topology, device);
    for (const double edges : {3.0, 10.0}) {
        std::vector<Contestant> contestants;
        for (DeformingDetector* detector : {&all, &resting}) {
            const std::string name = detector == &all ? "all" : "with the shape at rest";
            const double thickness = edges / 100;
            contestants.push_back(
                {"flat, " + name, [&sheet, detector, thickness] {
                     return detector->find_proximities(sheet.flat, thickness).size();
                 }});
            contestants.push_back(
                {"folded, " + name, [&sheet, detector, thickness] {
                     return detector->find_proximities(sheet.folded, thickness).size();
                 }});
        }
        print_rows("sheet of 20,000 triangles within " + std::to_string(static_cast<int>(edges)) +
                       " edges, threads: " + std::to_string(thread_count),
                   contestants, "proximities");
    }
}

// What a line search asks: the earliest time in place of all impacts, and half of the step again.
void run_rounds(const DeformingSequence& sequence, int thread_count) {
    DeformingOptions keeping;
    keeping.keeps_pairs = true;
    const Device device = Device::cpu(thread_count);
    DeformingDetector fresh(sequence.topology(), device);
    DeformingDetector rounds(sequence.topology(), device, keeping);
    std::vector<Vec3> half;
    half.reserve(sequence.t0.size());
    for (std::size_t i = 0; i < sequence.t0.size(); ++i)
        half.push_back(sequence.t0[i] + (sequence.t1[i] - sequence.t0[i]) * 0.5f);
    const auto decided = [](const DeformingDetector& detector) {
        return static_cast<std::size_t>(detector.report().decided_count);
    };
    const auto earliest = [&](DeformingDetector& detector, const std::vector<Vec3>& t1) {
        detector.find_earliest_time(sequence.t0, t1);
        return decided(detector);
    };
    std::vector<Contestant> contestants;
    contestants.push_back({"all impacts", [&] {
                               fresh.find_impacts(sequence.t0, sequence.t1);
                               return decided(fresh);
                           }});
    contestants.push_back({"earliest time", [&] { return earliest(fresh, sequence.t1); }});
    contestants.push_back({"half a step, searched", [&] { return earliest(fresh, half); }});
    // The first of its rounds keeps the pairs; it is not timed.
    rounds.find_earliest_time(sequence.t0, sequence.t1);
    contestants.push_back({"half a step, kept pairs", [&] { return earliest(rounds, half); }});
    print_rows(sequence.name + ", threads: " + std::to_string(thread_count), contestants,
               "pairs decided");
}

bool run(const DeformingArguments& arguments) {
    if (arguments.shows_static) {
        run_static(std::max(arguments.thread_count, 1));
        return true;
    }
    if (arguments.shows_rest) {
        run_rest(std::max(arguments.thread_count, 1));
        return true;
    }
    if (!arguments.frame_folders.empty()) {
        print_frames_header();
        for (const std::string& folder : arguments.frame_folders)
            run_frames<HostMachine>(folder, arguments);
        return true;
    }
    const std::vector<DeformingSequence> sequences = load_sequences(arguments.sequence);
    if (sequences.empty()) {
        std::printf("no such sequence: set GRAZE_DATA\n");
        return true;
    }
    if (arguments.shows_rounds) {
        for (const DeformingSequence& sequence : sequences)
            run_rounds(sequence, std::max(arguments.thread_count, 1));
        return true;
    }
    if (arguments.shows_claims) {
        print_claims<HostMachine>(sequences);
        return true;
    }
    if (arguments.shows_patches) {
        for (const DeformingSequence& sequence : sequences)
            print_patch_steps<HostMachine>(sequence, arguments.thread_count);
        return true;
    }
    const int core_count = static_cast<int>(std::thread::hardware_concurrency());
    std::vector<int> thread_counts = {1, core_count};
    if (arguments.thread_count > 0) thread_counts = {arguments.thread_count};
    bool is_right = true;
    for (const DeformingSequence& sequence : sequences)
        for (const int thread_count : thread_counts)
            is_right = run(sequence, thread_count, arguments.shows_stages) && is_right;
    return is_right;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        return graze::run(graze::parse_deforming_arguments({argv + 1, argv + argc})) ? 0 : 1;
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_deforming: %s\n", error.what());
        return 2;
    }
}
