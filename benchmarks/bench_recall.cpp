// Measures how much of the intersections of real models projected particles find.
//
// Pairs of models are in random poses, from near misses to deep overlaps, and are compared with
// a dense sampling of their fields. For every sampling, step and resolution the table has the
// fraction of the intersecting pairs that have a contact, the fraction of the connected parts that
// have one near, the fraction of the intersection's points that are near a contact, the contacts
// that are false by the true distances, particles and time. Then the uniform grid is compared with
// the adaptive one in the same time.
//
// Parts are connected in the sampling and have at least 8 points of it. A contact is near a part
// within two of its spacings, and near a point within 3 cm; models are 1 m long.
//
//   bench_recall [--poses 200] [--spacing 0.01] [--repeats 5] [--threads 2] [--json]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "benchmarks/call_times.h"
#include "field/sampled/evaluate_sampled.h"
#include "graze/detector.h"
#include "graze/error.h"
#include "graze/names.h"
#include "tests/data_folder.h"
#include "tests/detection/recall_poses.h"
#include "tests/oracle/intersection_oracle.h"
#include "true_distance.h"

namespace graze {
namespace {

struct Arguments {
    int pose_count = 200;
    double spacing = 0.01;  // [m] the oracle's spacing in deep overlaps; 0.4 of it in others
    int repeat_count = 5;
    int thread_count = 2;
    bool is_json = false;
};

constexpr const char* kModels[] = {"bunny_hr.obj", "armadillo_29k.obj", "buddha_100k.obj",
                                   "bowl.obj",     "knot.off",          "torus.obj"};
constexpr int kMostResolution = 100;
constexpr int kResolutions[] = {5, 10, 15, 20};
constexpr double kEnoughSeconds = 0.2;       // a measurement that takes as long is not repeated
constexpr std::size_t kJudgedContacts = 32;  // of a pair are compared with the true distance

// The models with fields of one kind, and the pairs' intersections by these fields.
struct FieldSet {
    std::string name;
    std::vector<Shape> shapes;                 // by model
    std::vector<oracle::Intersection> truths;  // by pose
};

// The result of a call of the detector.
struct Outcome {
    oracle::RecallScore score;
    std::int64_t particle_count = 0, contact_count = 0;
    double seconds = 0;
};
Outcome& operator+=(Outcome& a, const Outcome& b) {
    a.score += b.score;
    a.particle_count += b.particle_count;
    a.contact_count += b.contact_count;
    a.seconds += b.seconds;
    return a;
}

class Bench {
public:
    Bench(const std::filesystem::path& folder, const Arguments& arguments) : arguments_(arguments) {
        for (const char* name : kModels)
            models_.push_back(load_recall_model(folder, name, {}));
        for (const RecallModel& model : models_)
            distances_.push_back(std::make_unique<TrueDistance>(model.mesh));
        poses_ = RecallPoses(models_, 7).draw(arguments.pose_count);
    }

    FieldSet make_fields(const std::string& name, const FieldOptions& options) const {
        FieldSet set{name, {}, {}};
        for (const RecallModel& model : models_)
            set.shapes.push_back(Shape::from_field(build_field(model.mesh, options)));
        for (const RecallPose& pose : poses_) {
            const oracle::PosedField a{set.shapes[pose.a].field(), pose.pose_a};
            const oracle::PosedField b{set.shapes[pose.b].field(), pose.pose_b};
            const double slip = 2 * std::max(certain(a.field), certain(b.field));
            // Deep intersections are large, the others are small.
            const double spacing =
                arguments_.spacing * (pose.closeness == Closeness::deep ? 1 : 0.4);
            set.truths.push_back(oracle::find_intersection(a, b, spacing, slip));
        }
        return set;
    }

    // Runs all poses of one closeness in one call.
    Outcome run(const FieldSet& set, Closeness closeness, const ParticleOptions& particles,
                bool is_judged = true) const {
        Scene scene;
        std::vector<BodyPair> pairs;
        std::vector<std::size_t> chosen;
        for (std::size_t n = 0; n < poses_.size(); ++n) {
            if (poses_[n].closeness != closeness) continue;
            const std::uint32_t a = scene.add(set.shapes[poses_[n].a], poses_[n].pose_a);
            pairs.push_back({a, scene.add(set.shapes[poses_[n].b], poses_[n].pose_b)});
            chosen.push_back(n);
        }
        DetectorOptions options;
        options.particles = particles;
        Detector detector(Method::particles, Device::cpu(arguments_.thread_count), options);
        // The first call prepares the shapes.
        std::span<const Contact> contacts =
            detector.detect(scene, std::span(pairs).first(std::min<std::size_t>(pairs.size(), 1)));
        Outcome outcome;
        outcome.seconds = HUGE_VAL;
        double sum = 0;
        for (int repeat = 0; repeat < arguments_.repeat_count && sum < kEnoughSeconds; ++repeat) {
            const CallTime taken = time_call([&] { contacts = detector.detect(scene, pairs); });
            outcome.seconds = std::min(outcome.seconds, taken.wall * 1e-3);
            sum += taken.wall * 1e-3;
        }
        outcome.particle_count = static_cast<std::int64_t>(detector.report().figure("particles"));
        outcome.contact_count = static_cast<std::int64_t>(contacts.size());
        for (std::size_t n = 0; is_judged && n < chosen.size(); ++n) {
            const auto is_before = [](const Contact& contact, std::uint32_t body) {
                return contact.body_a < body;
            };
            const auto begin =
                std::lower_bound(contacts.begin(), contacts.end(), pairs[n].body_a, is_before);
            const auto end = std::lower_bound(begin, contacts.end(), pairs[n].body_b, is_before);
            outcome.score += judge(set, chosen[n], {begin, end});
        }
        return outcome;
    }
    Outcome run(const FieldSet& set, const ParticleOptions& particles) const {
        Outcome all;
        for (const Closeness closeness : kClosenesses)
            all += run(set, closeness, particles);
        return all;
    }

    // Returns the resolution at which the adaptive grid takes as long as the uniform one, or just
    // less.
    int equal_resolution(const FieldSet& set, Closeness closeness, ParticleOptions particles,
                         double seconds) const {
        int low = 2, high = kMostResolution + 1;  // low is fast enough, high is not
        while (low + 1 < high) {
            const double taken = run(set, closeness, particles, false).seconds;
            (taken <= seconds ? low : high) = particles.resolution;
            // Time grows between the square and the cube of the resolution.
            const double guess = particles.resolution * std::pow(seconds / taken, 0.4);
            particles.resolution = std::clamp(static_cast<int>(std::lround(guess)), low + 1,
                                              std::max(low + 1, high - 1));
        }
        return low;
    }

private:
    // Returns how far a field's value near its surface can be off. [m]
    static double certain(const Field& field) {
        const float band = 3 * samples_of(field)->grid.spacing;
        return certain_error(samples_of(field)->view(), band);
    }
    static double tolerance(const Field& a, const Field& b) {
        return 0.1 * std::max(samples_of(a)->grid.spacing, samples_of(b)->grid.spacing);
    }

    oracle::RecallScore judge(const FieldSet& set, std::size_t pose_index,
                              std::span<const Contact> contacts) const {
        const RecallPose& pose = poses_[pose_index];
        const oracle::Intersection& truth = set.truths[pose_index];
        const oracle::RecallRule rule{.part_reach = 2 * truth.spacing,
                                      .coverage_reach = 0.03,
                                      .least_volume = 7.5 * std::pow(truth.spacing, 3),
                                      .most_points = 1000};
        oracle::RecallScore score = oracle::score_recall(truth, contacts, rule);
        const Field& a = set.shapes[pose.a].field();
        const Field& b = set.shapes[pose.b].field();
        score += oracle::score_truth(truth_of(pose.a, pose.pose_a), truth_of(pose.b, pose.pose_b),
                                     contacts, tolerance(a, b) + std::max(certain(a), certain(b)),
                                     kJudgedContacts);
        return score;
    }
    std::function<double(const Vec3d&)> truth_of(std::size_t model, const Transform& pose) const {
        const TrueDistance* distance = distances_[model].get();
        const Transformd body_from_world = inverse(oracle::widened(pose));
        return [=](const Vec3d& world) {
            return (*distance)(static_cast<Vec3>(transform_point(body_from_world, world)));
        };
    }

    Arguments arguments_;
    std::vector<RecallModel> models_;
    std::vector<std::unique_ptr<TrueDistance>> distances_;
    std::vector<RecallPose> poses_;
};

// Prints the lines of a table, or all of them as JSON in the end.
class Table {
public:
    explicit Table(bool is_json) : is_json_(is_json) {}

    void heading(const std::string& text) {
        if (!is_json_) std::printf("\n%s\n", text.c_str());
    }
    void columns(const char* first) {
        if (is_json_) return;
        std::printf("%-36s %3s  %6s %6s %6s %5s %6s %10s %9s %9s\n", first, "N", "pairs", "parts",
                    "cover", "extra", "false", "particles", "contacts", "ms");
    }
    void row(const std::string& name, int resolution, const Outcome& outcome) {
        const oracle::RecallScore& score = outcome.score;
        rows_.push_back({{"name", name},
                         {"resolution", resolution},
                         {"pair_recall", score.pair_recall()},
                         {"part_recall", score.part_recall()},
                         {"coverage", score.coverage()},
                         {"pairs", score.pair_count},
                         {"parts", score.part_count},
                         {"extra_pairs", score.extra_pair_count},
                         {"false_contacts", score.false_count},
                         {"judged_contacts", score.judged_count},
                         {"particles", outcome.particle_count},
                         {"contacts", outcome.contact_count},
                         {"seconds", outcome.seconds}});
        if (is_json_) return;
        std::printf("%-36s %3d  %6.3f %6.3f %6.3f %5d %6lld %10lld %9lld %9.2f\n", name.c_str(),
                    resolution, score.pair_recall(), score.part_recall(), score.coverage(),
                    score.extra_pair_count, static_cast<long long>(score.false_count),
                    static_cast<long long>(outcome.particle_count),
                    static_cast<long long>(outcome.contact_count), outcome.seconds * 1e3);
        std::fflush(stdout);
    }
    void finish() const {
        if (is_json_) std::printf("%s\n", nlohmann::json(rows_).dump(1).c_str());
    }

private:
    bool is_json_;
    std::vector<nlohmann::json> rows_;
};

ParticleOptions particle_options(ParticleSampling sampling, ParticleStep step, int resolution) {
    ParticleOptions particles;
    particles.sampling = sampling;
    particles.step = step;
    particles.resolution = resolution;
    return particles;
}

void compare_all(const Bench& bench, const FieldSet& set, Table& table) {
    table.heading("Every sampling and step");
    table.columns(set.name.c_str());
    for (const auto& sampling : names_of<ParticleSampling>()) {
        for (const auto& step : names_of<ParticleStep>()) {
            for (const int resolution : kResolutions) {
                table.row(std::string(sampling.name) + ", " + step.name, resolution,
                          bench.run(set, particle_options(sampling.value, step.value, resolution)));
            }
        }
    }
}

// Prints for each closeness the paper's plain grid, then the adaptive one in no more time.
void compare_in_equal_time(const Bench& bench, const FieldSet& set, Table& table) {
    table.heading("In equal time");
    for (const Closeness closeness : kClosenesses) {
        table.columns(name_of(closeness));
        for (const ParticleStep step : {ParticleStep::project, ParticleStep::tangent}) {
            for (const int resolution : {10, 15, 20}) {
                const Outcome uniform = bench.run(
                    set, closeness, particle_options(ParticleSampling::grid, step, resolution));
                const std::string name =
                    std::string(", ") + name_of(step) + ", " + name_of(closeness);
                table.row("grid" + name, resolution, uniform);
                const int equal = bench.equal_resolution(
                    set, closeness, particle_options(ParticleSampling::adaptive, step, resolution),
                    uniform.seconds);
                table.row("  adaptive" + name, equal,
                          bench.run(set, closeness,
                                    particle_options(ParticleSampling::adaptive, step, equal)));
            }
        }
    }
}

int run(const Arguments& arguments) {
    const std::filesystem::path folder = data_folder() / "models";
    if (!std::filesystem::is_directory(folder)) {
        std::printf("no models at %s; GRAZE_DATA names the folder\n", folder.c_str());
        return 0;
    }
    const Bench bench(folder, arguments);
    Table table(arguments.is_json);
    const FieldSet first = bench.make_fields("128^3, order 1", {});
    compare_all(bench, first, table);
    const ParticleOptions standard;
    table.heading("Every kind of field");
    table.columns("as the detector has it");
    table.row(first.name, standard.resolution, bench.run(first, standard));
    for (const auto& [name, options] :
         {std::pair{"sparse, order 1", FieldOptions{.sparse = true}},
          std::pair{"128^3, order 0", FieldOptions{.order = FieldOrder::zero}}}) {
        const FieldSet set = bench.make_fields(name, options);
        table.row(set.name, standard.resolution, bench.run(set, standard));
    }
    table.heading("Every closeness");
    table.columns("as the detector has it");
    for (const Closeness closeness : kClosenesses)
        table.row(name_of(closeness), standard.resolution, bench.run(first, closeness, standard));
    compare_in_equal_time(bench, first, table);
    table.finish();
    return 0;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    graze::Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
        if (is("--json")) {
            arguments.is_json = true;
        } else if (is("--poses") && i + 1 < argc) {
            arguments.pose_count = std::atoi(argv[++i]);
        } else if (is("--spacing") && i + 1 < argc) {
            arguments.spacing = std::atof(argv[++i]);
        } else if (is("--repeats") && i + 1 < argc) {
            arguments.repeat_count = std::atoi(argv[++i]);
        } else if (is("--threads") && i + 1 < argc) {
            arguments.thread_count = std::atoi(argv[++i]);
        } else {
            std::fprintf(stderr, "bench_recall: what is '%s'?\n", argv[i]);
            return 2;
        }
    }
    try {
        return graze::run(arguments);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_recall: %s\n", error.what());
        return 1;
    }
}
