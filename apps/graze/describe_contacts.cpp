#include "describe_contacts.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "graze/names.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTableRows = 5;

// Writes as many digits as it takes to get the same float back.
std::string exact(float number) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(number));
    return text;
}

std::string to_text(const Vec3& v) {
    return with_digits(v.x) + "  " + with_digits(v.y) + "  " + with_digits(v.z);
}

Json to_json(const Vec3& v) {
    return Json::array({v.x, v.y, v.z});
}

Json to_json(const Quat& q) {
    return Json::array({q.w, q.x, q.y, q.z});
}

Json to_json(const CollidedBody& body) {
    Json json{{"file", body.file},
              {"translation", to_json(body.pose.translation)},
              {"rotation", to_json(body.pose.rotation)},
              {"scale", body.pose.scale},
              {"field_error", body.field_error},
              {"cached", body.is_cached},
              {"findings", body.findings}};
    if (body.end) {
        json["end"] = {{"translation", to_json(body.end->translation)},
                       {"rotation", to_json(body.end->rotation)}};
    }
    return json;
}

Json to_json(const Feature& feature) {
    return {{"kind", name_of(feature.kind)}, {"index", static_cast<std::uint32_t>(feature.index)}};
}

Json to_json(const Contact& contact) {
    Json json{{"body_a", contact.body_a},
              {"body_b", contact.body_b},
              {"position", to_json(contact.position)},
              {"normal", to_json(contact.normal)},
              {"distance", contact.distance},
              {"time", contact.time}};
    if (contact.feature_a.kind != FeatureKind::none ||
        contact.feature_b.kind != FeatureKind::none) {
        json["feature_a"] = to_json(contact.feature_a);
        json["feature_b"] = to_json(contact.feature_b);
    }
    return json;
}

// A contact of the collision, with its track where there is one.
Json contact_json(const Collision& collision, const Contact& contact) {
    Json json = to_json(contact);
    if (!collision.has_tracks) return json;
    const SweepTrack& track =
        collision.tracks[static_cast<std::size_t>(&contact - collision.contacts.data())];
    json["intervals"] = Json::array();
    for (const TimeInterval& interval : track.intervals)
        json["intervals"].push_back(Json::array({interval.begin, interval.end}));
    json["deepest"] = {{"time", track.deepest_time},
                       {"position", to_json(track.deepest_position)},
                       {"distance", track.deepest_distance}};
    return json;
}

Json options_json(const Collision& collision) {
    const DetectorOptions& options = collision.options;
    const ContactReduction& reduction = options.reduction;
    return {{"method", name_of(collision.method)},
            {"device", collision.device.name()},
            {"threads", collision.device.threads()},
            {"particles", options.particles.resolution},
            {"sampling", name_of(options.particles.sampling)},
            {"step", name_of(options.particles.step)},
            {"tolerance", collision.method == Method::sweep ? options.sweep.tolerance
                                                            : options.particles.tolerance},
            {"motion", name_of(options.sweep.motion)},
            {"roles", name_of(options.sweep.roles)},
            {"spacing", collision.points.spacing},
            {"faces", options.sweep.has_faces},
            {"face_tolerance", options.sweep.face_tolerance},
            {"cast", name_of(options.rays.cast)},
            {"response", name_of(options.rays.response)},
            {"confirm", options.rays.confirms_inside},
            {"gap", options.gap},
            {"cell", reduction.cell_size},
            {"deepest", reduction.deepest_count},
            {"manifold", reduction.manifold_count}};
}

Json seconds_json(const Collision& collision) {
    Json stages = Json::object();
    for (const StepReport::Stage& stage : collision.report.stages)
        stages[stage.name] = stages.value(stage.name, 0.0) + stage.seconds;
    return {{"open_a", collision.a.open_seconds},
            {"open_b", collision.b.open_seconds},
            {"detect", collision.detect_seconds},
            {"stages", std::move(stages)}};
}

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

// Contacts in the order of the table: by time, and then by distance.
bool comes_before(const Contact& x, const Contact& y) {
    return std::pair(x.time, x.distance) < std::pair(y.time, y.distance);
}

// Returns the indices of those that come first; of equal ones, the first.
std::vector<std::size_t> first_of(std::span<const Contact> contacts, std::size_t count) {
    std::vector<std::size_t> order(contacts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    count = std::min(count, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](std::size_t i, std::size_t j) {
                          if (comes_before(contacts[i], contacts[j])) return true;
                          return !comes_before(contacts[j], contacts[i]) && i < j;
                      });
    order.resize(count);
    return order;
}

// Where nothing moves, all times are 0 and are left out.
std::string table(const Collision& collision) {
    const bool has_times = collision.is_moving();
    const std::span<const Contact> contacts = collision.contacts;
    const std::vector<std::size_t> rows = first_of(contacts, kTableRows);
    std::string text = rows.size() == contacts.size() ? "\n  all "
                       : has_times                    ? "\n  the first "
                                                      : "\n  the deepest ";
    text += std::to_string(rows.size()) + ":\n";
    const auto add_row = [&](const std::vector<std::string>& cells) {
        text += " ";
        for (std::size_t i = has_times ? 0 : 1; i < cells.size(); ++i)
            text += (i == 5 ? "   " : "") + padded(cells[i], i == 1 && has_times ? 14 : 12);
        text += "\n";
    };
    add_row({"time", "distance [m]", "x", "y", "z", "normal x", "y", "z"});
    for (const std::size_t i : rows) {
        const Contact& c = contacts[i];
        const auto brief = [](float number) { return with_digits(number, 5); };
        add_row({brief(c.time), brief(c.distance), brief(c.position.x), brief(c.position.y),
                 brief(c.position.z), brief(c.normal.x), brief(c.normal.y), brief(c.normal.z)});
    }
    return text;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// The contact that matters most: the first of a step, the deepest of an instant.
void add_contact_rows(const Collision& collision, Rows& rows) {
    const Contact* contact = collision.first();
    if (!contact) {
        if (collision.report.pair_count == 0) rows.emplace_back("boxes", "apart");
        return;
    }
    if (!collision.is_moving()) {
        rows.emplace_back("deepest", with_digits(contact->distance) + " m");
    } else {
        // A reduction may leave out the earliest.
        const bool is_whole = collision.report.found_count == collision.report.contact_count;
        rows.emplace_back("first time", with_digits(contact->time) + " of the step" +
                                            (is_whole ? "" : ", of those kept"));
        const bool is_ahead = collision.method == Method::sweep && contact->time > 0;
        rows.emplace_back("distance", with_digits(contact->distance) + " m" +
                                          (is_ahead ? " at the start, along the normal" : ""));
    }
    rows.emplace_back("there", to_text(contact->position));
    rows.emplace_back("normal", to_text(contact->normal) + "  (the way out for the first)");
    if (!collision.has_tracks) return;
    const SweepTrack& deepest =
        *std::min_element(collision.tracks.begin(), collision.tracks.end(),
                          [](const SweepTrack& x, const SweepTrack& y) {
                              return x.deepest_distance < y.deepest_distance;
                          });
    rows.emplace_back("deepest in the step", with_digits(deepest.deepest_distance) + " m, at " +
                                                 with_digits(deepest.deepest_time) +
                                                 " of the step");
}

std::string heading(const Collision& collision) {
    const std::string names = printable(collision.a.file) + " and " + printable(collision.b.file);
    if (collision.is_moving())
        return names +
               (collision.contacts.empty() ? " do not meet in the step" : " meet in the step");
    if (collision.is_touching()) return names + " touch";
    if (!collision.contacts.empty())
        return names + " do not touch, but come within " + with_digits(collision.options.gap) +
               " m";
    return names + " do not touch";
}

}  // namespace

const Contact* Collision::deepest() const {
    const auto found = std::min_element(
        contacts.begin(), contacts.end(),
        [](const Contact& x, const Contact& y) { return x.distance < y.distance; });
    return found == contacts.end() ? nullptr : &*found;
}

const Contact* Collision::first() const {
    const auto found = std::min_element(contacts.begin(), contacts.end(), comes_before);
    return found == contacts.end() ? nullptr : &*found;
}

bool Collision::is_touching() const {
    // Without a gap whatever is found touches, up to the tolerance, and so does what meets in a
    // step.
    const bool is_near = options.gap > 0 && !is_moving();
    return !contacts.empty() && (!is_near || deepest()->distance <= 0);
}

std::string to_text(const Collision& collision) {
    const StepReport& report = collision.report;
    Rows rows;
    rows.emplace_back("contacts",
                      with_separators(static_cast<std::int64_t>(collision.contacts.size())));
    if (report.found_count > report.contact_count)
        rows.emplace_back("before the reduction", with_separators(report.found_count));
    add_contact_rows(collision, rows);
    if (collision.method != Method::features && collision.method != Method::rays) {
        rows.emplace_back("field errors", with_digits(collision.a.field_error, 3) + " m, " +
                                              with_digits(collision.b.field_error, 3) + " m");
    }
    for (const Figure& figure : report.figures) {
        std::string name = figure.name;
        std::replace(name.begin(), name.end(), '_', ' ');
        rows.emplace_back(name, with_separators(static_cast<std::int64_t>(figure.value)));
    }
    rows.emplace_back("time", with_digits(1e3 * collision.detect_seconds, 3) + " ms on " +
                                  collision.device.name() + ", shapes not counted");
    std::string text = styled(heading(collision), Style::heading) + "\n" + in_rows(rows);
    if (!collision.contacts.empty()) text += table(collision);
    for (const CollidedBody* body : {&collision.a, &collision.b}) {
        for (const std::string& finding : body->findings)
            text += "  " + styled("*", Style::attention) + " " + printable(body->file) + ": " +
                    finding + "\n";
        if (collision.a.file == collision.b.file) break;  // once is enough
    }
    return text;
}

Json to_json(const Collision& collision) {
    const Contact *deepest = collision.deepest(), *first = collision.first();
    Json contacts = Json::array();
    for (const Contact& contact : collision.contacts)
        contacts.push_back(contact_json(collision, contact));
    Json figures = Json::object();
    for (const Figure& figure : collision.report.figures)
        figures[figure.name] = static_cast<std::int64_t>(figure.value);
    return {{"pair", {{"a", to_json(collision.a)}, {"b", to_json(collision.b)}}},
            {"touching", collision.is_touching()},
            {"contact_count", collision.contacts.size()},
            {"found_count", collision.report.found_count},
            {"particle_count", static_cast<std::int64_t>(collision.report.figure("particles"))},
            {"figures", std::move(figures)},
            {"boxes_overlap", collision.report.pair_count > 0},
            {"deepest", deepest ? contact_json(collision, *deepest) : Json(nullptr)},
            {"first", first ? contact_json(collision, *first) : Json(nullptr)},
            {"options", options_json(collision)},
            {"seconds", seconds_json(collision)},
            {"contacts", std::move(contacts)}};
}

std::string to_csv(const Collision& collision) {
    const bool has_features = collision.method != Method::particles;
    std::string text = "body_a,body_b,x,y,z,normal_x,normal_y,normal_z,distance,time";
    if (has_features) text += ",kind_a,index_a,kind_b,index_b";
    if (collision.has_tracks) text += ",end,deepest_time,deepest_distance";
    text += "\n";
    for (const Contact& c : collision.contacts) {
        text += std::to_string(c.body_a) + "," + std::to_string(c.body_b);
        for (const float number : {c.position.x, c.position.y, c.position.z, c.normal.x, c.normal.y,
                                   c.normal.z, c.distance, c.time})
            text += "," + exact(number);
        if (has_features) {
            for (const Feature& feature : {c.feature_a, c.feature_b})
                text += std::string(",") + name_of(feature.kind) + "," +
                        std::to_string(static_cast<std::uint32_t>(feature.index));
        }
        if (collision.has_tracks) {
            const SweepTrack& track =
                collision.tracks[static_cast<std::size_t>(&c - collision.contacts.data())];
            const float end = track.intervals.empty() ? c.time : track.intervals.front().end;
            for (const float number : {end, track.deepest_time, track.deepest_distance})
                text += "," + exact(number);
        }
        text += "\n";
    }
    return text;
}

}  // namespace graze::app
