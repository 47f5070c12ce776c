#include "deforming_request.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "field_request.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "named_option.h"
#include "number_between.h"

namespace graze::app {

namespace {

namespace fs = std::filesystem;

bool is_mesh_file(const fs::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".obj" || extension == ".ply" || extension == ".stl" || extension == ".off";
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Returns the number that begins at an offset, without leading zeros, and moves the offset behind
// it.
std::string take_number(const std::string& text, std::size_t& offset) {
    const std::size_t begin = offset;
    while (offset < text.size() && is_digit(text[offset]))
        ++offset;
    const std::size_t first = std::min(text.find_first_not_of('0', begin), offset);
    return text.substr(first, offset - first);
}

DeformingTopology topology_of(const Frame& frame) {
    DeformingTopology topology;
    topology.vertex_count = static_cast<std::int64_t>(frame.mesh.positions.size());
    topology.triangles = frame.mesh.triangles;
    return topology;
}

// Rounds the positions to floats, where these hold them.
void find_floats(Frame& frame) {
    frame.floats.reserve(frame.mesh.positions.size());
    for (const Vec3d& p : frame.mesh.positions) {
        const Vec3 rounded = static_cast<Vec3>(p);
        if (!(static_cast<Vec3d>(rounded) == p)) {
            frame.floats = {};
            break;
        }
        frame.floats.push_back(rounded);
    }
}

// Throws where the frames are not the same mesh at two instants.
void check_same_mesh(const Frame& a, const Frame& b) {
    const std::string names = a.file + " and " + b.file;
    const auto counts = [](std::size_t x, std::size_t y) {
        return std::to_string(x) + " and " + std::to_string(y);
    };
    constexpr const char* kCure =
        "; frames are one mesh at two instants, with the same triangles in the same order";
    if (a.mesh.positions.size() != b.mesh.positions.size())
        throw Error(names + " have " + counts(a.mesh.positions.size(), b.mesh.positions.size()) +
                    " vertices" + kCure);
    if (a.fans.size() != b.fans.size())
        throw Error(names + " have " + counts(a.fans.size(), b.fans.size()) + " triangles" + kCure);
    const auto [differing, unused] = std::mismatch(a.fans.begin(), a.fans.end(), b.fans.begin());
    if (differing != a.fans.end())
        throw Error(names + " differ in triangle " + std::to_string(differing - a.fans.begin()) +
                    kCure);
}

}  // namespace

void add_deforming_options(CLI::App& command, DeformingRequest& request, bool is_continuous) {
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command.add_option(name, value, meaning)->option_text(form)->group("Detection");
    };
    add("--device", request.device, "NAME", "cpu (default), cuda, cuda:N, or best")
        ->check(CLI::Validator(check_device_name, ""));
    add("--threads", request.threads, "N",
        "Of the CPU; 0, the default: all cores. The answer does not depend\non it")
        ->check(CLI::Range(0, 1024));
    add_named_option(command, "--search", request.options.pair_search,
                     "How candidates are found; the answer does not depend on it")
        ->group("Detection");
    if (is_continuous) {
        add_named_option(command, "--solver", request.options.solver, "How times are found")
            ->group("Detection");
        add("--min-separation", request.options.min_separation, "D",
            "Things that come within D metres count as touching; 0 by default")
            ->check(number_between(0, 1e30));
    }
}

Frame load_frame(const std::string& file) {
    Frame frame{file, load_mesh_double(file), {}, {}};
    find_floats(frame);
    return frame;
}

Frame load_first_frame(const std::string& file) {
    Frame frame = load_frame(file);
    frame.fans = load_mesh_double(file, PolygonCut::as_fans).triangles;
    return frame;
}

Frame load_next_frame(const std::string& file, const Frame& first) {
    Frame frame{file, load_mesh_double(file, PolygonCut::as_fans), {}, {}};
    frame.fans = std::move(frame.mesh.triangles);
    check_same_mesh(first, frame);
    frame.mesh.triangles = first.mesh.triangles;
    find_floats(frame);
    return frame;
}

bool comes_before_naturally(const std::string& a, const std::string& b) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        if (is_digit(a[i]) && is_digit(b[j])) {
            const std::string x = take_number(a, i), y = take_number(b, j);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
        } else {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i;
            ++j;
        }
    }
    // Names that differ in leading zeros alone still have an order.
    return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

std::vector<std::string> frames_of_folder(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        // Hidden files are no frames: editors and copies leave them.
        if (entry->path().filename().string().front() == '.') continue;
        if (is_mesh_file(entry->path())) names.push_back(entry->path().filename().string());
    }
    if (error) throw Error(folder.string() + ": cannot read the folder: " + error.message());
    if (names.size() < 2)
        throw Error(folder.string() + ": " + (names.empty() ? "no mesh" : "only one mesh") +
                    " in it; frames are two or more .obj, .ply, .stl or .off files");
    std::sort(names.begin(), names.end(), comes_before_naturally);
    for (std::string& name : names)
        name = (folder / name).string();
    return names;
}

FrameDetector::FrameDetector(const Frame& frame, const DeformingRequest& request)
    : device_(Device::parse(request.device).with_threads(request.threads)),
      detector_(topology_of(frame), device_, request.options) {}

ImpactTotals FrameDetector::begin_impacts(const Frame& t0, const Frame& t1) {
    if (t0.has_floats() && t1.has_floats()) return detector_.begin_impacts(t0.floats, t1.floats);
    return detector_.begin_impacts(t0.mesh.positions, t1.mesh.positions);
}

std::optional<double> FrameDetector::find_earliest_time(const Frame& t0, const Frame& t1) {
    if (t0.has_floats() && t1.has_floats())
        return detector_.find_earliest_time(t0.floats, t1.floats);
    return detector_.find_earliest_time(t0.mesh.positions, t1.mesh.positions);
}

std::span<const TriangleIntersection> FrameDetector::find_intersections(const Frame& frame) {
    if (frame.has_floats()) return detector_.find_intersections(frame.floats);
    return detector_.find_intersections(frame.mesh.positions);
}

}  // namespace graze::app
