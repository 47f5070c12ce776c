// What a user says about a search among deforming meshes, and the frames that it is made in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graze/deforming.h"

namespace CLI {
class App;
}

namespace graze::app {

struct DeformingRequest {
    DeformingOptions options;
    std::string device = "cpu";  // may not be there
    int threads = 0;             // of the CPU; 0 means all cores
};

// Adds --device, --threads and --search to a command; --solver and --min-separation, too, where it
// looks at motion.
void add_deforming_options(CLI::App& command, DeformingRequest& request, bool is_continuous);

// A mesh at one instant, with every digit that its file holds.
struct Frame {
    std::string file;
    MeshD mesh;
    std::vector<Vec3> floats;  // the positions, where floats hold them all; else empty
    // Of a first and of a next frame, the triangles with polygons cut as fans, whatever the
    // positions: these tell which faces the file has. The mesh's own are cut by shape, that of the
    // first frame.
    std::vector<Triangle> fans;

    bool has_floats() const { return floats.size() == mesh.positions.size(); }
};

Frame load_frame(const std::string& file);
// The first of several frames.
Frame load_first_frame(const std::string& file);
// Returns a frame that follows first, whose triangles it takes. Throws Error, with both files and
// what differs, where they are not the same mesh at two instants.
Frame load_next_frame(const std::string& file, const Frame& first);
// Returns the meshes in a folder, ordered by the numbers in their names: frame2 comes before
// frame10. Throws Error where there are fewer than two.
std::vector<std::string> frames_of_folder(const std::filesystem::path& folder);
// Compares names by what lies between digits and by the numbers that the digits are.
bool comes_before_naturally(const std::string& a, const std::string& b);

// A detector for one mesh, which asks in floats where the frames have them and in doubles where
// not.
class FrameDetector {
public:
    FrameDetector(const Frame& frame, const DeformingRequest& request);

    // As of DeformingDetector: counts impacts, which next_impacts gives, while both frames stay.
    ImpactTotals begin_impacts(const Frame& t0, const Frame& t1);
    std::span<const Impact> next_impacts() { return detector_.next_impacts(); }
    std::optional<double> find_earliest_time(const Frame& t0, const Frame& t1);
    std::span<const TriangleIntersection> find_intersections(const Frame& frame);

    // The triangles that intersect at t0 of the last step that was asked about.
    std::span<const TriangleIntersection> crossed() const { return detector_.crossed(); }

    const Device& device() const { return device_; }
    const DeformingReport& report() const { return detector_.report(); }
    void set_timing(bool is_on) { detector_.set_timing(is_on); }

private:
    Device device_;
    DeformingDetector detector_;
};

}  // namespace graze::app
