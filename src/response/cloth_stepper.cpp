#include "response/cloth_stepper.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "narrow_phase/features/feature_contacts.h"

namespace graze {

namespace {

// Contacts are looked for up to this many thicknesses, so that what rests does not leave them from
// step to step.
constexpr double kReach = 1.5;

// Passes over edges and then contacts in a small step, and over edges in each of them: three by two
// instead of one by two halve the greatest 99th percentile of stretch of
// scenes/cloth_ball_small.json, for a quarter of the time of a step. Contacts come last: with edges
// last, what is pressed has to be cut, and then stretches without bound.
constexpr int kPasses = 3, kStretchPasses = 2;

// A step is halved where features meet whose points go farther than this many thicknesses against
// each other: what is near them is then found anew on the way. It is halved so often at most.
constexpr double kLargeMotion = 0.5;
constexpr int kHalvings = 3;

// [m/N] Edges give way by this where they are shortened, or by stretch_compliance where that is
// more. Tuned on scenes/funnel_small.json with throats of 0.22 to 0.30 m: less leaves long edges in
// some, five times as much shortens one edge in a hundred by a seventh (docs/lab/cloth.md).
constexpr double kShorteningCompliance = 2e-4;

// Adds the time it lives to a sum.
class StageTimer {
public:
    explicit StageTimer(double& seconds) : seconds_(seconds) {}
    ~StageTimer() {
        seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

SmallStep small_step_of(const ClothSettings& settings) {
    const double seconds = settings.time_step / settings.iterations;
    return {seconds, settings.gravity, std::pow(1 - settings.linear_damping, seconds),
            std::pow(1 - settings.angular_damping, seconds)};
}

}  // namespace

// What the sum and the product lose by rounding is known exactly (fma; Knuth's two-sum).
float ClothPart::time_of(double fraction) const {
    const double gone = length * fraction, gone_error = std::fma(length, fraction, -gone);
    const double sum = begin + gone, rest = sum - begin;
    const double sum_error = (begin - (sum - rest)) + (gone - rest);
    const bool is_above = sum_error + gone_error < 0;
    return detail::rounded_down(is_above ? std::nextafter(sum, 0.0) : sum);
}

ClothStepper::ClothStepper(ClothWorld world, const DeformingTopology& topology, Device device,
                           const DeformingOptions& options, const ClothSettings& settings,
                           Script script)
    : world_(std::move(world)),
      settings_(settings),
      script_(std::move(script)),
      part_script_([this](double fraction, std::span<Vec3> positions) {
          script_(report_.script_fraction + fraction * parts_[part_count_].length, positions);
      }),
      detector_(topology, device, options),
      guard_(world_, detector_, part_script_),
      small_step_(small_step_of(settings)),
      cones_(world_.triangles, world_.positions.size()),
      restitution_(world_, small_step_, settings.iterations),
      executor_(device.threads()),
      stretches_(world_, world_.stretches,
                 {settings.stretch_compliance,
                  std::max(settings.stretch_compliance, kShorteningCompliance)},
                 small_step_.seconds),
      bends_(world_, world_.bends, {settings.bend_compliance, settings.bend_compliance},
             small_step_.seconds) {}

void ClothStepper::begin(int small_steps) {
    if (parts_.size() <= part_count_) parts_.emplace_back();
    ClothPart& part = parts_[part_count_];
    part.begin =
        part_count_ == 0 ? 0 : parts_[part_count_ - 1].begin + parts_[part_count_ - 1].length;
    part.length = static_cast<double>(small_steps) / settings_.iterations;
    part.impacts.clear();
    scripted_ = world_.positions;
    part_script_(1, scripted_);
    before_.resize(world_.positions.size());
    std::transform(world_.positions.begin(), world_.positions.end(), before_.begin(),
                   [](const Vec3& p) { return static_cast<Vec3d>(p); });
    velocities_before_ = world_.velocities;
    rigid_before_.clear();
    for (const RigidBody& body : world_.rigid)
        rigid_before_.push_back({body.velocity, body.angular_velocity});
    restitution_.begin(world_, before_, scripted_, small_steps);
}

void ClothStepper::find_near() {
    const StageTimer timer(report_.proximity_seconds);
    ClothPart& part = parts_[part_count_];
    const auto is_cloth = [&](std::uint32_t v) { return world_.inverse_masses[v] > 0; };
    // Of a sheet whose cells are smaller than its thickness nearly all that is near are neighbours
    // along the surface, hundreds of them by vertex: they are not even stored.
    const auto is_wanted = [&](const Proximity& proximity) {
        // Positions are floats, and so are distances between them.
        if (!(static_cast<float>(proximity.distance) > 0)) return false;
        // What is rigid cannot be torn, and rests on its corners.
        return (!is_cloth(proximity.vertices[0]) && !is_cloth(proximity.vertices[3])) ||
               cones_.holds(proximity, world_.positions);
    };
    const auto found =
        detector_.find_proximities(std::span<const Vec3>(world_.positions),
                                   static_cast<float>(kReach * settings_.thickness), is_wanted);
    report_.proximity_count += detector_.report().hit_count;
    part.near.assign(found.begin(), found.end());
}

void ClothStepper::make_contacts() {
    contacts_.clear();
    ClothPart& part = parts_[part_count_];
    std::erase_if(part.near, [&](const Proximity& proximity) {
        const ContactConstraint contact =
            make_contact_constraint(world_, proximity, settings_.thickness, part.length);
        const bool is_in_reach =
            double{static_cast<float>(proximity.distance)} <= kReach * contact.gap;
        if (is_in_reach) contacts_.push_back(contact);
        return !is_in_reach;
    });
}

void ClothStepper::take_small_steps(int small_steps, int round) {
    const ConstraintBatches batches = sort_into_batches(
        world_.unit_count, [&](const ContactConstraint& c) { return units_of(world_, c); },
        contacts_);
    for (ContactConstraint& contact : contacts_)
        contact.script_work = 0;
    stretches_.set_back_script_work();
    bends_.set_back_script_work();
    world_.next = before_;
    world_.velocities = velocities_before_;
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        body.next_centre = body.centre;
        body.next_rotation = body.rotation;
        body.velocity = rigid_before_[i].velocity;
        body.angular_velocity = rigid_before_[i].angular_velocity;
    }
    for (int i = 1; i <= small_steps; ++i) {
        const double fraction = static_cast<double>(i) / small_steps;
        begin_small_step(executor_, world_, small_step_, before_, scripted_, fraction);
        stretches_.begin_step();
        bends_.begin_step();
        for (int pass = 0; pass < kPasses; ++pass) {
            for (int k = 0; k < kStretchPasses; ++k)
                stretches_.solve(executor_, world_);
            if (pass == 0) bends_.solve(executor_, world_);
            for (int k = 0; k <= round; ++k)
                solve_contacts(executor_, world_, contacts_, batches, fraction);
        }
        end_small_step(executor_, world_, small_step_);
    }
}

double ClothStepper::work_of_small_steps() const {
    double work = 0;
    for (const ContactConstraint& contact : contacts_)
        work += contact.script_work;
    return work / (small_step_.seconds * small_step_.seconds) + stretches_.script_work() +
           bends_.script_work();
}

std::span<const Impact> ClothStepper::find_impacts() {
    const StageTimer timer(report_.impact_seconds);
    ++report_.round_count;
    return guard_.try_whole_step();
}

// Where points meet that go far against each other, what is near them at the begin tells little of
// where they go.
bool ClothStepper::is_fast(std::span<const Impact> impacts) const {
    const double most = kLargeMotion * settings_.thickness;
    return std::any_of(impacts.begin(), impacts.end(), [&](const Impact& impact) {
        // What is rigid is not torn, and is caught better by all small steps together.
        if (world_.is_rigid(impact.vertices[0]) || world_.is_rigid(impact.vertices[3]))
            return false;
        Vec3d motion{0, 0, 0};
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t v = impact.vertices[i];
            const bool is_first = i < (impact.is_vertex_face() ? 1 : 2);
            motion += (static_cast<Vec3d>(guard_.candidates()[v]) - before_[v]) *
                      (is_first ? double{impact.weights[i]} : -double{impact.weights[i]});
        }
        return length(motion) > most;
    });
}

bool ClothStepper::push(std::span<const Impact> impacts) {
    report_.impact_count =
        std::max(report_.impact_count, static_cast<std::int64_t>(impacts.size()));
    for (const Impact& impact : impacts) {
        if (!(length_sq(impact.normal) > 0)) continue;
        contacts_.push_back(make_contact_constraint(world_, impact, settings_.thickness));
        PushedImpact& pushed = parts_[part_count_].impacts.emplace_back(PushedImpact{impact, {}});
        for (int i = 0; i < 4; ++i)
            pushed.points_t1[i] = guard_.candidates()[impact.vertices[i]];
    }
    return !impacts.empty();
}

void ClothStepper::go_back() {
    world_.velocities = velocities_before_;
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        world_.rigid[i].velocity = rigid_before_[i].velocity;
        world_.rigid[i].angular_velocity = rigid_before_[i].angular_velocity;
    }
}

void ClothStepper::end() {
    const double dt = settings_.time_step * parts_[part_count_].length;
    for (std::size_t v = 0; v < world_.positions.size(); ++v) {
        const std::uint32_t unit = world_.units[v];
        if (!(world_.inverse_masses[v] > 0) || world_.is_waiting[unit]) continue;
        if (guard_.fraction_of(unit) < 1)
            world_.velocities[v] = (static_cast<Vec3d>(world_.positions[v]) - before_[v]) / dt;
    }
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        if (world_.is_waiting[i + 1]) continue;
        if (guard_.fraction_of(static_cast<std::uint32_t>(i + 1)) < 1) {
            body.velocity = (body.next_centre - body.centre) / dt;
            body.angular_velocity = angular_velocity_between(body.rotation, body.next_rotation, dt);
        }
        body.centre = body.next_centre;
        body.rotation = body.next_rotation;
    }
    for (std::uint32_t unit = 0; unit < world_.unit_count; ++unit)
        if (guard_.fraction_of(unit) < 1 && !world_.is_waiting[unit]) was_cut_[unit] = 1;
    report_.script_fraction += guard_.script_fraction() * parts_[part_count_].length;
    parts_[part_count_].positions = before_;
}

void ClothStepper::admit(std::span<const std::uint32_t> units, DeformingDetector detector) {
    for (const std::uint32_t unit : units)
        world_.is_waiting[unit] = 0;
    detector_ = std::move(detector);
}

void ClothStepper::measure_stretch() {
    stretch_.clear();
    for (const DistanceConstraint& edge : world_.stretches) {
        const std::uint32_t unit = std::max(world_.units[edge.a], world_.units[edge.b]);
        if (!(edge.rest > 0) || world_.is_waiting[unit]) continue;
        stretch_.push_back(distance(world_.positions[edge.a], world_.positions[edge.b]) /
                           edge.rest);
    }
    if (stretch_.empty()) return;
    const auto [least, most] = std::minmax_element(stretch_.begin(), stretch_.end());
    report_.stretch_least = double{*least};
    report_.stretch_most = double{*most};
    const auto percentile = [&](std::size_t percent) {
        const auto rank = static_cast<std::ptrdiff_t>(stretch_.size() * percent / 100);
        std::nth_element(stretch_.begin(), stretch_.begin() + rank, stretch_.end());
        return double{stretch_[static_cast<std::size_t>(rank)]};
    };
    report_.stretch_p1 = percentile(1);
    report_.stretch_p99 = percentile(99);
}

void ClothStepper::go(int small_steps, int halvings, bool is_anew) {
    {
        const StageTimer timer(report_.predict_seconds);
        begin(small_steps);
    }
    if (is_anew) find_near();
    make_contacts();
    const auto solve = [&](int round) {
        const StageTimer timer(report_.solve_seconds);
        take_small_steps(small_steps, round);
    };
    solve(0);
    std::span<const Impact> impacts = find_impacts();
    if (halvings > 0 && small_steps > 1 && is_fast(impacts)) {
        go_back();
        go(small_steps / 2, halvings - 1, false);
        go(small_steps - small_steps / 2, halvings - 1, true);
        return;
    }
    bool meets = push(impacts);
    for (int round = 0; round < settings_.push_rounds && meets; ++round) {
        solve(round + 1);
        meets = push(find_impacts());
    }
    const StageTimer timer(report_.cut_seconds);
    if (meets) {
        guard_.cut();
        report_.round_count += guard_.round_count() - 1;
    }
    guard_.commit();
    end();
    report_.script_work += work_of_small_steps() * guard_.script_fraction() +
                           restitution_.apply(world_, contacts_, before_, small_steps);
    report_.contact_count += static_cast<std::int64_t>(contacts_.size());
    ++part_count_;
}

void ClothStepper::remember() {
    remembered_.positions = world_.positions;
    remembered_.velocities = world_.velocities;
    remembered_.rigid.clear();
    for (const RigidBody& body : world_.rigid)
        remembered_.rigid.push_back(
            {body.centre, body.rotation, body.velocity, body.angular_velocity});
    remembered_.report = report_;
}

void ClothStepper::put_back() {
    world_.positions.swap(remembered_.positions);
    world_.velocities.swap(remembered_.velocities);
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        const RigidMotion& motion = remembered_.rigid[i];
        RigidBody& body = world_.rigid[i];
        body.centre = motion.centre;
        body.rotation = motion.rotation;
        body.velocity = motion.velocity;
        body.angular_velocity = motion.angular_velocity;
    }
    report_ = remembered_.report;
}

void ClothStepper::step() {
    remember();
    try {
        report_ = {};
        report_.script_fraction = 0;
        part_count_ = 0;
        was_cut_.assign(world_.unit_count, 0);
        go(settings_.iterations, kHalvings, true);
        report_.cut_count = std::count(was_cut_.begin(), was_cut_.end(), char{1});
        report_.part_count = static_cast<int>(part_count_);
        report_.elastic_energy = stretches_.elastic_energy() + bends_.elastic_energy();
        measure_stretch();
    } catch (...) {
        put_back();
        throw;
    }
    parts_.swap(gone_);
    gone_count_ = part_count_;
}

}  // namespace graze
