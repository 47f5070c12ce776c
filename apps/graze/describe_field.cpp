#include "describe_field.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "graze/field_io.h"
#include "graze/names.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::pair<std::string, std::string>>;

std::string sign_text(FieldSign sign) {
    switch (sign) {
        case FieldSign::automatic:
            break;
        case FieldSign::crossings:
            return "exact, by counting crossings";
        case FieldSign::winding:
            return "by generalised winding number";
        case FieldSign::shell:
            return "none: a shell around the mesh";
    }
    return "not known";
}

template <class T>
Json to_json(const Vec3T<T>& v) {
    return Json::array({v.x, v.y, v.z});
}

template <class T>
std::string to_text(const Vec3T<T>& v) {
    return with_digits(v.x) + "  " + with_digits(v.y) + "  " + with_digits(v.z);
}

void add_report(const FieldReport& report, Json& json) {
    const bool is_doubtful = report.doubtful_sample_count > 0;
    json["sign"] = name_of(report.sign);
    json["doubtful_sample_count"] = report.doubtful_sample_count;
    json["doubtful_min"] = is_doubtful ? to_json(report.doubtful_box.min) : Json(nullptr);
    json["doubtful_max"] = is_doubtful ? to_json(report.doubtful_box.max) : Json(nullptr);
    json["seconds"] = report.seconds;
    json["findings"] = report.findings;
}

void add_mass(const MassProperties& mass, Json& json) {
    json["volume"] = mass.volume;
    json["centre"] = to_json(mass.centre);
    json["inertia"] = Json::array();
    for (int row = 0; row < 3; ++row) {
        json["inertia"].push_back(
            Json::array({mass.inertia(row, 0), mass.inertia(row, 1), mass.inertia(row, 2)}));
    }
}

void add_report(const FieldReport& report, Rows& rows) {
    rows.emplace_back("sign", sign_text(report.sign));
    if (report.doubtful_sample_count > 0) {
        rows.emplace_back("doubtful samples", with_separators(report.doubtful_sample_count));
        rows.emplace_back("doubtful from", to_text(report.doubtful_box.min));
        rows.emplace_back("doubtful to", to_text(report.doubtful_box.max));
    }
    rows.emplace_back("built in", with_digits(report.seconds, 3) + " s");
}

std::string size_text(const FieldGrid& grid) {
    std::string text;
    for (int axis = 0; axis < 3; ++axis)
        text += (axis > 0 ? " x " : "") + with_separators(grid.samples(axis));
    return text;
}

// Whether the side may jump away from the surface, as that of an open mesh does, however sides are
// told: then no bound is proven.
bool may_jump(const std::optional<FieldReport>& report) {
    constexpr std::string_view kOpen = "the mesh is open along";
    return !report || std::any_of(report->findings.begin(), report->findings.end(),
                                  [&](const std::string& finding) {
                                      return std::string_view(finding).starts_with(kOpen);
                                  });
}

Rows to_rows(const FieldDescription& description) {
    const FieldSummary& s = description.summary;
    Rows rows{
        {"grid", size_text(s.grid) + " samples"},
        {"voxel", with_digits(s.grid.spacing)},
        {"min", to_text(s.grid.box().min)},
        {"max", to_text(s.grid.box().max)},
        {"kind", std::string(s.is_sparse ? "sparse" : "dense") + ", order " + name_of(s.order)}};
    if (s.is_sparse) {
        rows.emplace_back("bricks", with_separators(s.brick_count));
        rows.emplace_back("band", with_digits(s.band / s.grid.spacing, 3) + " voxels");
    }
    rows.emplace_back("stored samples", with_separators(s.sample_count));
    rows.emplace_back("memory", with_bytes(s.memory_bytes));
    rows.emplace_back("file", with_bytes(description.file_bytes));
    rows.emplace_back("error, measured", with_digits(s.error / s.grid.spacing, 3) + " voxels (" +
                                             with_digits(s.error, 3) + ")");
    const std::string bound = "at most " + with_digits(s.error_bound / s.grid.spacing, 3) +
                              " voxels (" + with_digits(s.error_bound, 3) + ")";
    if (description.report && may_jump(description.report)) {
        rows.emplace_back("error, as bounded", bound + ", not proven: the side jumps at holes");
    } else {
        rows.emplace_back("error, proven",
                          bound + (description.report ? "" : " where the side does not jump"));
    }
    if (description.mass) {
        rows.emplace_back("volume", with_digits(description.mass->volume));
        rows.emplace_back("centre", to_text(description.mass->centre));
    }
    if (description.report) add_report(*description.report, rows);
    if (description.is_cached) rows.back().second += "; now loaded from the cache";
    return rows;
}

}  // namespace

FieldDescription describe_field_file(const std::string& file) {
    FieldDescription description;
    description.file = file;
    if (field_format(file) == FieldFormat::gfield) {
        const FieldFileSummary summary = read_field_summary(file);
        if (may_jump(summary.report)) {
            // How far the side jumps only the samples tell.
            description.summary = summarize(load_field(file));
        } else {
            description.summary = {summary.grid,         summary.order,        summary.is_sparse,
                                   summary.band,         summary.sample_count, summary.brick_count,
                                   summary.memory_bytes, summary.error,        summary.error_bound};
        }
        description.report = summary.report;
        description.file_bytes = summary.file_bytes;
        return description;
    }
    FieldReport report;
    description.summary = summarize(load_field(file, &report));
    description.findings = std::move(report.findings);
    description.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    return description;
}

nlohmann::ordered_json to_json(const FieldDescription& description) {
    const FieldSummary& s = description.summary;
    const FieldGrid& grid = s.grid;
    Json json{{"file", description.file},
              {"file_bytes", description.file_bytes},
              {"size", Json::array({grid.samples(0), grid.samples(1), grid.samples(2)})},
              {"spacing", grid.spacing},
              {"min", to_json(grid.box().min)},
              {"max", to_json(grid.box().max)},
              {"order", s.order == FieldOrder::zero ? 0 : 1},
              {"sparse", s.is_sparse},
              {"band", s.is_sparse ? Json(s.band) : Json(nullptr)},
              {"brick_count", s.brick_count},
              {"sample_count", s.sample_count},
              {"memory_bytes", s.memory_bytes},
              {"error", s.error},
              {"error_bound", s.error_bound}};
    if (description.report) add_report(*description.report, json);
    if (!description.findings.empty()) json["findings"] = description.findings;
    if (description.mass) add_mass(*description.mass, json);
    return json;
}

std::string to_text(const FieldDescription& description) {
    std::string text = styled(printable(description.file), Style::heading) + "\n";
    text += in_rows(to_rows(description));
    for (const std::string& finding :
         description.report ? description.report->findings : description.findings)
        text += "  " + styled("*", Style::attention) + " " + finding + "\n";
    return text;
}

}  // namespace graze::app
