#include "pictures/mesh_cut.h"

#include <algorithm>
#include <cmath>

namespace graze {

namespace {

struct Crossing {
    double x;       // [pixels]
    int direction;  // 1 where the outline goes down, -1 where it goes up
};

}  // namespace

std::vector<CutSegment> cut_mesh(const Body& body, const PictureCamera& camera) {
    const Mesh& mesh = *body.shape.mesh();
    std::vector<PictureCamera::ProjectedPoint> seen;
    seen.reserve(mesh.positions.size());
    for (const Vec3& p : mesh.positions)
        seen.push_back(camera.project(static_cast<Vec3d>(transform_point(body.pose, p))));
    std::vector<CutSegment> cut;
    for (const Triangle& t : mesh.triangles) {
        // What lies in the plane counts as in front of it, so that each edge is cut once or not at
        // all.
        const auto is_front = [&](int k) { return seen[t[k]].depth >= 0; };
        // The side that goes to the back and the one that comes to the front again.
        io::PixelPoint ends[2];
        int count = 0;
        for (int k = 0; k < 3; ++k) {
            const int next = k == 2 ? 0 : k + 1;
            if (is_front(k) == is_front(next)) continue;
            // From the front to the back, whichever way the side goes: neighbours cut it alike.
            const auto& front = seen[t[is_front(k) ? k : next]];
            const auto& back = seen[t[is_front(k) ? next : k]];
            const double s = front.depth / (front.depth - back.depth);
            ends[is_front(k) ? 0 : 1] = {front.x + (back.x - front.x) * s,
                                         front.y + (back.y - front.y) * s};
            ++count;
        }
        if (count == 2) cut.push_back({ends[1], ends[0]});
    }
    return cut;
}

std::vector<bool> fill_cut(const std::vector<CutSegment>& cut, const PictureCamera& camera) {
    std::vector<std::vector<Crossing>> rows(static_cast<std::size_t>(camera.height));
    for (const CutSegment& segment : cut) {
        const bool goes_down = segment.b.y > segment.a.y;
        const double top = std::min(segment.a.y, segment.b.y);
        const double bottom = std::max(segment.a.y, segment.b.y);
        // Rows whose middle is in [top, bottom).
        const double first = std::max(0.0, std::ceil(top - 0.5));
        for (double row = first; row < camera.height && row + 0.5 < bottom; ++row) {
            const double s = (row + 0.5 - segment.a.y) / (segment.b.y - segment.a.y);
            rows[static_cast<std::size_t>(row)].push_back(
                {segment.a.x + (segment.b.x - segment.a.x) * s, goes_down ? 1 : -1});
        }
    }
    const auto width = static_cast<std::size_t>(camera.width);
    std::vector<bool> is_inside(width * rows.size());
    for (std::size_t y = 0; y < rows.size(); ++y) {
        std::vector<Crossing>& row = rows[y];
        std::sort(row.begin(), row.end(),
                  [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
        int sum = 0;
        for (const Crossing& crossing : row)
            sum += crossing.direction;
        if (sum != 0) continue;
        for (std::size_t i = 0; i + 1 < row.size(); ++i) {
            sum += row[i].direction;
            if (sum == 0) continue;
            const double begin = std::clamp(std::ceil(row[i].x - 0.5), 0.0, double(width));
            const double end = std::clamp(std::ceil(row[i + 1].x - 0.5), 0.0, double(width));
            for (auto x = static_cast<std::size_t>(begin); x < static_cast<std::size_t>(end); ++x)
                is_inside[y * width + x] = true;
        }
    }
    return is_inside;
}

}  // namespace graze
