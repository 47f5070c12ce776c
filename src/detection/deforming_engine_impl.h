// A step of a deforming detector, the same on both machines:
//
//     positions -> projections of vertices, bounds and boxes of elements -> pairs of elements
//     (broad_phase) -> pairs of features and what touches (narrow_phase/feature_search*.h)
//
// Features<Hit> and Intersections are the machine's ways through the last part:
//     void run(view, keys, pairs, room, decide);      void run(view, surfaces, pairs, room);
//     Buffer<Hit> result; FeatureCounts counts;       result(); FeatureCounts counts;
// Pieces hands out impacts piece by piece: begin(...), next(), end(), totals; on the host it finds
// them, too (impact_pieces_fused.h), elsewhere all are found before (WholePieces).
// Patches is the machine's PatchCertifier.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/atomics.h"
#include "detection/deforming_engine.h"
#include "detection/static_parts.h"
#include "narrow_phase/features/certify_patches.h"
#include "narrow_phase/features/feature_search.h"
#include "narrow_phase/features/triangle_intersections.h"
#include "parallel/available_memory.h"
#include "parallel/fill.h"
#include "parallel/reductions.h"
#include "parallel/trace.h"
#include "parallel/upload.h"

namespace graze {
namespace deforming_detail {

struct FillTime {
    double* times;
    GRAZE_HD void operator()(std::int64_t vertex) const { times[vertex] = 1; }
};
// Times are not negative, so they sort as their bits do.
struct LowerTimes {
    const Impact* impacts;
    double* times;
    GRAZE_HD void operator()(std::int64_t i) const {
        for (const std::uint32_t vertex : impacts[i].vertices)
            atomic_lower(times + vertex, impacts[i].time);
    }
};
struct ClearTimes {
    const TriangleIntersection* crossed;
    const Triangle* triangles;  // and loose edges behind them
    double* times;
    GRAZE_HD void operator()(std::int64_t i) const {
        for (int k = 0; k < 3; ++k) {
            atomic_lower(times + triangles[crossed[i].a].v[k], 0.0);
            atomic_lower(times + triangles[crossed[i].b].v[k], 0.0);
        }
    }
};
// Hands out impacts that are all there.
class WholePieces {
public:
    void begin(std::span<const Impact> impacts) {
        left_ = impacts;
        totals = {};
        for (const Impact& impact : impacts) {
            ++(impact.is_vertex_face() ? totals.vertex_face_count : totals.edge_edge_count);
            totals.earliest = min_of(impact.time, totals.earliest.value_or(impact.time));
        }
    }
    std::span<const Impact> next() { return std::exchange(left_, {}); }
    void end() { left_ = {}; }

    ImpactTotals totals;

private:
    std::span<const Impact> left_;
};

// Keeps what is wanted of the pairs that are near.
template <class Near>
struct DecideWanted : Near {
    const DeformingDetector::ProximityFilter* is_wanted;

    template <FeaturePair kPair>
    Verdict decide(Proximity& hit) const {
        const Verdict verdict = Near::template decide<kPair>(hit);
        return verdict == Verdict::hit && !(*is_wanted)(hit) ? Verdict::unwanted : verdict;
    }
};
}  // namespace deforming_detail

template <class Executor, template <class> class Features, class Pieces, class Intersections,
          class Patches>
class DeformingEngineOn : public DeformingDetector::Engine {
public:
    // host_visible: where results are put for the caller.
    template <class... Arguments>
    DeformingEngineOn(const DeformingTopology& topology, const DeformingOptions& options,
                      Device device, Memory& host_visible, Arguments&&... arguments)
        : Engine(topology.vertex_count, options),
          device_(device),
          executor_(std::forward<Arguments>(arguments)...),
          impacts_(executor_),
          pieces_(make_pieces()),
          proximities_(executor_),
          intersections_(executor_),
          host_impacts_(host_visible),
          host_proximities_(host_visible),
          host_times_(host_visible),
          host_intersections_(host_visible) {
        const Elements elements = make_elements(topology);
        upload(elements.elements, elements_);
        upload(elements.edges, edges_);
        upload(elements.ignored_parts, ignored_parts_);
        std::vector<Triangle> triangles = topology.triangles;
        for (const Edge& edge : topology.loose_edges)
            triangles.push_back({{edge[0], edge[1], edge[1]}});
        upload(triangles, triangles_);
        triangle_count_ = elements.triangle_count;
        upload(topology.rest_positions, rest_positions_);
        upload(make_rest_balls(elements.elements, topology.rest_positions), rest_balls_);
        rest_rounding_ = distance_rounding(topology.rest_positions);
        static_parts_.set(topology, elements.elements);
        executor_.wait();
        if (options.culls_smooth_patches)
            patches_.emplace(executor_).set_forest(make_patches(vertex_count_, topology.triangles));
        keys_ = make_feature_keys(vertex_count_, elements.triangle_count,
                                  static_cast<std::int64_t>(elements.edges.size()));
    }

    std::span<const Impact> find_impacts(const Ends<float>& ends) override {
        return placing_kept([&] { return impacts_of(ends); });
    }
    std::span<const Impact> find_impacts(const Ends<double>& ends) override {
        return placing_kept([&] { return impacts_of(ends); });
    }
    ImpactTotals begin_impacts(const Ends<float>& ends) override {
        return placing_kept([&] { return begin_pieces(ends); });
    }
    ImpactTotals begin_impacts(const Ends<double>& ends) override {
        return placing_kept([&] { return begin_pieces(ends); });
    }
    std::span<const Impact> next_impacts() override { return pieces_.next(); }
    std::optional<double> find_earliest_time(const Ends<float>& ends) override {
        return placing_kept([&] { return earliest_of(ends); });
    }
    std::optional<double> find_earliest_time(const Ends<double>& ends) override {
        return placing_kept([&] { return earliest_of(ends); });
    }
    std::span<const double> find_vertex_times(const Ends<float>& ends) override {
        return placing_kept([&] { return vertex_times_of(ends); });
    }
    std::span<const double> find_vertex_times(const Ends<double>& ends) override {
        return placing_kept([&] { return vertex_times_of(ends); });
    }
    std::span<const TriangleIntersection> find_intersections(const Ends<float>& ends) override {
        return placing_kept([&] { return intersections_of(ends); });
    }
    std::span<const TriangleIntersection> find_intersections(const Ends<double>& ends) override {
        return placing_kept([&] { return intersections_of(ends); });
    }
    std::span<const Proximity> find_proximities(const Ends<float>& ends, double thickness,
                                                const ProximityFilter* is_wanted) override {
        return placing_kept([&] { return proximities_of(ends, thickness, is_wanted); });
    }
    std::span<const Proximity> find_proximities(const Ends<double>& ends, double thickness,
                                                const ProximityFilter* is_wanted) override {
        return placing_kept([&] { return proximities_of(ends, thickness, is_wanted); });
    }
    void place_static_parts() override { static_parts_.place_anew(); }
    void set_timing(bool is_on) override { executor_.set_trace(is_on ? &trace_ : nullptr); }

private:
    // [bytes] What a pair of elements takes until its features are decided on, nearly all of them
    // ruled out by then.
    static constexpr std::int64_t kBytesPerPair = 128;

    // Static parts that a step has placed are placed by it only where it gives an answer.
    template <class Answer>
    auto placing_kept(const Answer& answer) {
        const bool were_placed = static_parts_.are_placed();
        try {
            return answer();
        } catch (...) {
            if (!were_placed) static_parts_.place_anew();
            throw;
        }
    }

    // Brings positions into this machine's memory and refuses what is wrong with them, before
    // anything changes that a later call sees. is_exact: predicates.h is asked about t0.
    template <class T>
    Ends<T> admit(const Ends<T>& ends, bool is_exact) {
        pieces_.end();
        trace_.clear();
        const Ends<T> here = bring(ends);
        projections_.resize(vertex_count_);
        bounds_.resize(elements_.size());
        static_parts_.update(here.t0, here.t1, elements_.data(), projections_.data(),
                             bounds_.data(), pairs_);
        size_ = size_of(here);
        size_t0_ = is_exact && here.t0 != here.t1 ? size_of(instant(here)) : size_;
        if constexpr (sizeof(T) > sizeof(float)) {
            if (is_exact) check_exact_range(size_t0_);
        }
        crossed_ = {};
        crossed_edges_.clear();
        crossed_total_ = 0;
        report_.crossed_count = 0;
        return here;
    }
    template <class T>
    static Ends<T> instant(const Ends<T>& ends) {
        return {ends.t0, ends.t0, ends.residence};
    }

    template <class T>
    void solve(const Ends<T>& here) {
        const DeformingView<T> view =
            bound(here, size_, options_.min_separation, options_.min_separation == 0);
        impacts_.run(view, keys_, pairs_, pair_room(), decision(view));
        fill_report(impacts_.counts);
    }
    template <class T>
    DecideImpact<T> decision(const DeformingView<T>& view) const {
        return {view.positions_t0, view.positions_t1, view.min_separation,
                options_.solver == TimeSolver::cubic,
                ImpactFilter::of(view.min_separation, largest_of(size_), size_.rounding)};
    }
    // Finds what intersects at t0, where that is asked for.
    template <class T>
    void cross(const Ends<T>& here) {
        if (!options_.finds_crossed) return;
        const std::span<const TriangleIntersection> found =
            intersect(instant(here), size_t0_, triangles_.size());
        crossed_total_ = static_cast<std::int64_t>(found.size());
        crossed_ = triangles_.size() > triangle_count_ ? split_crossed(found) : found;
        report_.crossed_count = static_cast<std::int64_t>(crossed_.size());
    }
    // Loose edges follow behind the triangles.
    std::span<const TriangleIntersection> split_crossed(
        std::span<const TriangleIntersection> found) {
        crossed_faces_.clear();
        for (const TriangleIntersection& pair : found) {
            if (pair.b < triangle_count_)
                crossed_faces_.push_back(pair);
            else
                crossed_edges_.push_back(
                    {pair.a, pair.b - static_cast<std::uint32_t>(triangle_count_)});
        }
        return crossed_faces_;
    }
    template <class T>
    std::span<const Impact> impacts_of(const Ends<T>& ends) {
        const Ends<T> here = admit(ends, options_.finds_crossed);
        cross(here);
        solve(here);
        return on_host(impacts_.result, host_impacts_);
    }
    template <class T>
    ImpactTotals begin_pieces(const Ends<T>& ends) {
        const Ends<T> here = admit(ends, options_.finds_crossed);
        cross(here);
        if constexpr (Executor::kIsHost) {
            const DeformingView<T> view =
                bound(here, size_, options_.min_separation, options_.min_separation == 0);
            pieces_.begin(view, keys_, edges_.size(), pairs_, pair_bytes(), decision(view));
            fill_report(pieces_.counts);
            finish();
        } else {
            solve(here);
            pieces_.begin(on_host(impacts_.result, host_impacts_));
        }
        return pieces_.totals;
    }
    Pieces make_pieces() {
        if constexpr (Executor::kIsHost)
            return Pieces(executor_);
        else
            return {};
    }
    template <class T>
    std::optional<double> earliest_of(const Ends<T>& ends) {
        const Ends<T> here = admit(ends, options_.finds_crossed);
        cross(here);
        if (crossed_total_ > 0) {
            fill_report(intersections_.counts);
            return finish(), 0.0;
        }
        const DeformingView<T> view =
            bound(here, size_, options_.min_separation, options_.min_separation == 0);
        numbers_.resize(1);
        executor_.for_each("deforming: earliest", 1, Fill<double>{numbers_.data(), kNoTimeLimit});
        const DecideImpact<T> impacts = decision(view);
        impacts_.run(view, keys_, pairs_, pair_room(),
                     DecideEarliest<T>{impacts, impacts.filter, numbers_.data()});
        fill_report(impacts_.counts);
        const double time = executor_.read(numbers_.data());
        finish();
        return time < kNoTimeLimit ? std::optional(time) : std::nullopt;
    }
    template <class T>
    std::span<const double> vertex_times_of(const Ends<T>& ends) {
        const Ends<T> here = admit(ends, options_.finds_crossed);
        cross(here);
        solve(here);
        times_.resize(vertex_count_);
        executor_.for_each("deforming: times", vertex_count_,
                           deforming_detail::FillTime{times_.data()});
        executor_.for_each("deforming: times", impacts_.result.size(),
                           deforming_detail::LowerTimes{impacts_.result.data(), times_.data()});
        if (crossed_total_ > 0)
            executor_.for_each("deforming: times", crossed_total_,
                               deforming_detail::ClearTimes{intersections_.result().data(),
                                                            triangles_.data(), times_.data()});
        return on_host(times_, host_times_);
    }
    template <class T>
    std::span<const Proximity> proximities_of(const Ends<T>& ends, double thickness,
                                              const ProximityFilter* is_wanted) {
        const Ends<T> here = admit(ends, false);
        const DeformingView<T> view = bound(here, size_, thickness, false);
        if (rest_positions_.is_empty())
            return search_near(view, DecideProximity<T>{view.positions_t0, thickness}, is_wanted);
        const RestShape rest = make_rest_shape(rest_positions_.data(), rest_balls_.data(),
                                               rest_rounding_, thickness, largest_of(size_));
        return search_near(view, DecideProximity<T, RestShape>{view.positions_t0, thickness, rest},
                           is_wanted);
    }
    // On the host what is not wanted is left out as it is found, elsewhere when all is found.
    template <class T, class Near>
    std::span<const Proximity> search_near(const DeformingView<T>& view, const Near& near,
                                           const ProximityFilter* is_wanted) {
        if constexpr (Executor::kIsHost) {
            if (is_wanted != nullptr)
                proximities_.run(view, keys_, pairs_, pair_room(),
                                 deforming_detail::DecideWanted<Near>{near, is_wanted});
            else
                proximities_.run(view, keys_, pairs_, pair_room(), near);
            fill_report(proximities_.counts);
            return on_host(proximities_.result, host_proximities_);
        } else {
            proximities_.run(view, keys_, pairs_, pair_room(), near);
            fill_report(proximities_.counts);
            report_.hit_count = proximities_.result.size();
            const std::span<const Proximity> found =
                on_host(proximities_.result, host_proximities_);
            if (is_wanted == nullptr) return found;
            Proximity* const all = host_proximities_.data();
            Proximity* const end = std::remove_if(
                all, all + found.size(), [&](const Proximity& p) { return !(*is_wanted)(p); });
            return {all, static_cast<std::size_t>(end - all)};
        }
    }
    template <class T>
    std::span<const TriangleIntersection> intersections_of(const Ends<T>& ends) {
        const Ends<T> here = admit(ends, true);
        const std::span<const TriangleIntersection> found = intersect(here, size_, triangle_count_);
        fill_report(intersections_.counts);
        return found;
    }
    // At an instant: both ends are the same. count: of triangles, or of loose edges, too.
    template <class T>
    std::span<const TriangleIntersection> intersect(const Ends<T>& here, const MotionSize& size,
                                                    std::int64_t count) {
        const DeformingView<T> view = bound(here, size, 0, true);
        intersections_.run(view, MeetingSurfaces{triangles_.data(), triangle_count_, count}, pairs_,
                           pair_room());
        return on_host(intersections_.result(), host_intersections_);
    }

    // What predicates.h is exact for.
    static void check_exact_range(const MotionSize& size) {
        constexpr double kSmallest = 0x1p-306, kLargest = 0x1p339;
        if (size.smallest < kSmallest || largest_of(size) > kLargest) {
            throw Error(
                "deforming detector: intersections of doubles are exact where coordinates are zero "
                "or of magnitude 1e-92 to 1e102; these are not: scale them, or round the tiny ones "
                "to zero");
        }
    }

    // Bounds of everything over the step, and the search for pairs built on them. here is admitted;
    // size is that of its positions. may_cull: pairs within smooth patches need not be found.
    template <class T>
    DeformingView<T> bound(const Ends<T>& here, const MotionSize& size, double min_separation,
                           bool may_cull) {
        const std::int64_t element_count = elements_.size();
        const DirectionSlacks slacks = make_slacks(min_separation, largest_of(size));
        const float margin = slacks.of[0][0] / 2;
        const std::uint32_t* moving_vertices = static_parts_.moving_vertices();
        boxes_.resize(moving_element_count());
        executor_.for_each(
            "deforming: project", moving_vertex_count(),
            ProjectVertex<T>{here.t0, here.t1, projections_.data(), moving_vertices});
        executor_.for_each(
            "deforming: bound", boxes_.size(),
            BoundElement{elements_.data(), projections_.data(), margin, bounds_.data(),
                         boxes_.data(), static_parts_.moving_names()});
        const bool culls = patches_.has_value() && may_cull;
        const std::uint32_t* patch_names =
            culls ? patches_->name_elements(here.t0, here.t1, triangles_.data(), element_count)
                  : nullptr;
        report_.smooth_triangle_count = culls ? patches_->count_smooth() : 0;
        search(margin, here.t0 != here.t1, largest_of(size));
        return {here.t0,
                here.t1,
                vertex_count_,
                elements_.data(),
                element_count,
                edges_.data(),
                ignored_parts_.data(),
                ignored_parts_.size(),
                projections_.data(),
                bounds_.data(),
                slacks,
                min_separation,
                patch_names,
                moving_vertices,
                static_parts_.moving_vertex_count(),
                static_parts_.placement()};
    }
    // Prepares the search among boxes_, each of which has a margin, or takes the pairs that an
    // earlier one has found.
    void search(float margin, bool are_swept, double largest) {
        pairs_.still.margin = margin;
        if (options_.keeps_pairs &&
            take_kept_pairs(executor_, boxes_.data(), boxes_.size(), pairs_))
            return;
        if (options_.keeps_pairs) grow_boxes(executor_, largest, boxes_.data(), boxes_.size());
        build_element_search(executor_, boxes_.data(), boxes_.size(), options_.pair_search, pairs_,
                             are_swept);
        ++report_.search_count;
        if (!options_.keeps_pairs) return;
        const AcceptPair accept{elements_.data(), ignored_parts_.data(), ignored_parts_.size(),
                                false, nullptr};
        keep_element_pairs(executor_, accept, pair_room(), pairs_);
    }

    std::int64_t moving_vertex_count() const {
        return static_parts_.exist() ? static_parts_.moving_vertex_count() : vertex_count_;
    }
    std::int64_t moving_element_count() const {
        return static_parts_.exist() ? static_parts_.moving_element_count() : elements_.size();
    }

    static double largest_of(const MotionSize& size) {
        return max_of(size.largest_t0, size.largest_t1);
    }
    template <class T>
    MotionSize size_of(const Ends<T>& here) {
        size_there_.resize(1);
        executor_.reduce("deforming: size", moving_vertex_count(),
                         SizeOfVertex<T>{here.t0, here.t1, static_parts_.moving_vertices()},
                         LargerSize{}, MotionSize{}, size_there_.data());
        const MotionSize size =
            LargerSize{}(executor_.read(size_there_.data()), static_parts_.size());
        if (!std::isfinite(largest_of(size))) {
            throw Error(std::string("deforming detector: a coordinate of the positions") +
                        (here.t0 == here.t1               ? ""
                         : std::isfinite(size.largest_t0) ? " at t1"
                                                          : " at t0") +
                        " is not a finite number; check what moved them");
        }
        return size;
    }

    // The positions in this machine's memory.
    template <class T>
    Ends<T> bring(const Ends<T>& ends) {
        if (Executor::kIsHost || ends.residence == Residence::device) return ends;
        Buffer<Vec3T<T>>(&positions)[2] = positions_of<T>();
        copy_in(ends.t0, positions[0]);
        if (ends.t1 == ends.t0)
            return {positions[0].data(), positions[0].data(), Residence::device};
        copy_in(ends.t1, positions[1]);
        return {positions[0].data(), positions[1].data(), Residence::device};
    }
    template <class T>
    void copy_in(const Vec3T<T>* from, Buffer<Vec3T<T>>& to) {
        graze::upload(executor_, "deforming: positions", from, vertex_count_, to);
    }
    template <class T>
    auto& positions_of() {
        if constexpr (sizeof(T) == sizeof(float))
            return float_positions_;
        else
            return double_positions_;
    }

    template <class T>
    void upload(const std::vector<T>& from, Buffer<T>& to) {
        graze::upload(executor_, "deforming: topology", from, to);
        executor_.wait();  // from may be gone afterwards
    }

    template <class T>
    std::span<const T> on_host(const Buffer<T>& result, Buffer<T>& host) {
        const auto count = static_cast<std::size_t>(result.size());
        if constexpr (Executor::kIsHost) {
            finish();
            return {result.data(), count};
        } else {
            host.resize(result.size());
            executor_.copy_to_host("deforming: result", result.data(), host.data(), result.size());
            executor_.wait();
            finish();
            return {host.data(), count};
        }
    }

    std::int64_t pair_bytes() const {
        return options_.pair_memory > 0 ? options_.pair_memory : free_memory_ / 2;
    }
    std::int64_t pair_room() const { return max_of(pair_bytes() / kBytesPerPair, std::int64_t{1}); }

    void finish() {
        report_.stages.clear();
        for (const TraceEntry& entry : trace_.entries())
            report_.stages.push_back({entry.name, entry.seconds});
    }
    void fill_report(const FeatureCounts& counts) {
        report_.pair_search = pairs_.search;
        report_.element_pair_count = counts.element_pairs;
        report_.vertex_face_count = counts.vertex_faces;
        report_.edge_edge_count = counts.edge_edges;
        report_.decided_count = counts.decided;
        report_.exhausted_count = counts.exhausted;
        report_.hit_count = counts.hits;
        report_.slice_count = counts.slices;
    }

    Device device_;
    Executor executor_;
    Trace trace_;
    // Asked once: it takes longer than a step's stage, and buffers that are kept count as taken.
    std::int64_t free_memory_ = available_memory(device_);
    FeatureKeys keys_{};

    Buffer<Element> elements_{executor_.memory()};
    Buffer<Edge> edges_{executor_.memory()};
    // Behind them loose edges, which name their second vertex twice.
    Buffer<Triangle> triangles_{executor_.memory()};
    std::int64_t triangle_count_ = 0;
    Buffer<Vec3d> rest_positions_{executor_.memory()};  // none where there is no shape at rest
    Buffer<RestBall> rest_balls_{executor_.memory()};   // likewise
    double rest_rounding_ = 0;                          // [m]
    Buffer<std::uint64_t> ignored_parts_{executor_.memory()};
    Buffer<Vec3> float_positions_[2] = {Buffer<Vec3>(executor_.memory()),
                                        Buffer<Vec3>(executor_.memory())};
    Buffer<Vec3d> double_positions_[2] = {Buffer<Vec3d>(executor_.memory()),
                                          Buffer<Vec3d>(executor_.memory())};
    MotionSize size_;     // of the last step's positions
    MotionSize size_t0_;  // of those at t0, where they are looked at by themselves
    Buffer<MotionSize> size_there_{executor_.memory()};  // one
    Buffer<double> numbers_{executor_.memory()};
    Buffer<PointProjections> projections_{executor_.memory()};
    Buffer<ElementBounds> bounds_{executor_.memory()};
    Buffer<Aabb> boxes_{executor_.memory()};
    ElementPairs pairs_{executor_.memory()};
    StaticParts<Executor> static_parts_{executor_};
    std::optional<Patches> patches_;
    Features<Impact> impacts_;
    Pieces pieces_;
    Features<Proximity> proximities_;
    Intersections intersections_;
    std::int64_t crossed_total_ = 0;  // pairs of triangles, and of triangles and loose edges
    std::vector<TriangleIntersection> crossed_faces_;  // where there are loose edges
    Buffer<double> times_{executor_.memory()};

    Buffer<Impact> host_impacts_;
    Buffer<Proximity> host_proximities_;
    Buffer<double> host_times_;
    Buffer<TriangleIntersection> host_intersections_;
};

}  // namespace graze
