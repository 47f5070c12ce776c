#include "comparison_page.h"

#include <algorithm>

#include "base64.h"
#include "graze/draw_contacts.h"
#include "graze/error.h"
#include "graze/names.h"
#include "graze/stop.h"
#include "graze/write_file.h"
#include "terminal.h"

namespace graze::app {

namespace {

constexpr int kPictureWidth = 720;
// Enough to draw with, whatever the comparison was asked to use.
constexpr int kPictureResolution = 64;

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Which method?</title>
<style>
:root { color-scheme: light dark; --line: #8885; --best: #2a84; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tr.best { background: var(--best); }
figure { margin: 1.5rem 0; } figure img { max-width: 100%; height: auto; border: 1px solid var(--line); }
.said { font-size: 1.1rem; font-weight: 600; }
</style>
</head>
<body>
)";

// Text in which no character means anything to a browser.
std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string list_of(const std::vector<std::string>& sentences) {
    std::string text = "<ul>\n";
    for (const std::string& sentence : sentences)
        text += "<li>" + escaped(sentence) + "</li>\n";
    return text + "</ul>\n";
}

std::string table_of(const MethodComparison& found) {
    const auto rows = comparison_rows(found);
    std::string text = "<div class=\"wide\"><table>\n<thead><tr>";
    for (const std::string& heading : rows[0])
        text += "<th scope=\"col\">" + escaped(heading) + "</th>";
    text += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const bool is_best = static_cast<int>(i) - 1 == found.recommendation.score;
        text += is_best ? "<tr class=\"best\">" : "<tr>";
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
            const bool is_last = k + 1 == rows[i].size() && rows[i].size() < rows[0].size();
            const std::string span =
                is_last ? " colspan=\"" + std::to_string(rows[0].size() - k) + "\"" : "";
            text += "<td" + span + ">" + escaped(rows[i][k]) + "</td>";
        }
        text += "</tr>\n";
    }
    return text + "</tbody>\n</table></div>\n";
}

// The bodies of a pose with what a method finds there.
class Drawing {
public:
    Drawing(const Compared& compared, const Mesh& a, const Mesh& b) : compared_(compared) {
        FieldOptions field = compared.options.field;
        field.resolution = std::min(field.resolution, kPictureResolution);
        field.measure_error = false;
        field.device = Device::cpu(compared.options.device.threads());
        a_ = Shape::from_mesh(a, {.field = field});
        b_ = Shape::from_mesh(b, {.field = field});
    }

    std::string draw(const MethodScore& score, int pose) const {
        const ComparedPose& where = compared_.found.poses[static_cast<std::size_t>(pose)];
        Scene scene;
        scene.add(*a_);
        scene.add(*b_, where.b);
        const bool looks_into_step =
            score.method == Method::sweep || score.method == Method::features;
        if (where.b_t1 && looks_into_step) scene.set_motion(1, where.b, *where.b_t1);
        Detector detector(score.method, compared_.options.device, score.options);
        const std::span<const Contact> contacts = detector.detect(scene);
        // What looks at an instant draws the motion all the same.
        if (where.b_t1) scene.set_motion(1, where.b, *where.b_t1);
        ContactPictureOptions options;
        options.width = kPictureWidth;
        options.motion = score.options.sweep.motion;
        options.device = Device::cpu(compared_.options.device.threads());
        for (const std::string& file : {compared_.file_a, compared_.file_b})
            options.names.push_back(std::filesystem::path(file).filename().string());
        return encode_png(draw_contacts(scene, contacts, options));
    }

private:
    const Compared& compared_;
    std::optional<Shape> a_, b_;
};

std::string figure_of(const Compared& compared, const MethodScore& score, const Drawing& drawing) {
    const int pose = score.worst_pose;
    const std::string words = score.name + ", pose " + std::to_string(pose) + ": " +
                              fault_words(compared.found, score, pose) + ".";
    std::string picture;
    try {
        picture = "<img alt=\"" + escaped(words) + "\" src=\"data:image/png;base64," +
                  base64(drawing.draw(score, pose)) + "\">\n";
    } catch (const Stopped&) {
        throw;
    } catch (const Error& error) {
        picture = "<p>" + escaped(std::string("There is no picture: ") + error.what()) + "</p>\n";
    }
    return "<figure>\n" + picture + "<figcaption>" + escaped(words) + "</figcaption>\n</figure>\n";
}

std::string explanations(const Compared& compared) {
    const bool moves = compared.options.motion != ComparedMotion::none;
    std::string text =
        "<p>found: poses that touch by more than the accuracy, and those of them that the method "
        "reports. false pairs: poses without a common point that it reports all the same. ";
    text += moves ? "off: how far the body is from where it first touches, at the time that the "
                    "method says; the median. "
                  : "parts: separate pieces of the intersections that have a contact. false "
                    "contacts: those farther from one of the bodies than the accuracy. depth off: "
                    "of the deepest contact against the deepest point; normal off, in degrees: "
                    "against the nearer body's way out; medians. ";
    return text +
           "ms a pair: the median over the poses. prepare: for both shapes, once. memory: what is "
           "kept for both.</p>\n";
}

}  // namespace

void write_comparison_page(const Compared& compared, const Mesh& a, const Mesh& b,
                           const std::filesystem::path& file,
                           const std::function<void(double fraction)>& report) {
    const MethodComparison& found = compared.found;
    std::string page = kHead;
    page += "<h1>Which method for " + escaped(compared.file_a) + " and " +
            escaped(compared.file_b) + "?</h1>\n<p class=\"said\">" +
            escaped(found.recommendation.summary) + "</p>\n";
    page += list_of(found.recommendation.reasons);
    if (!found.recommendation.options.empty())
        page += "<h2>What would change it</h2>\n" + list_of(found.recommendation.options);
    page += "<h2>Measured</h2>\n<p>" + escaped(comparison_words(compared)) + ".</p>\n";
    page += table_of(found) + explanations(compared);
    page += "<h2>The worst cases</h2>\n";
    const Drawing drawing(compared, a, b);
    int count = 0;
    for (std::size_t i = 0; i < found.scores.size(); ++i) {
        report(static_cast<double>(i) / static_cast<double>(found.scores.size()));
        if (!found.scores[i].applies || found.scores[i].worst_pose < 0) continue;
        page += figure_of(compared, found.scores[i], drawing);
        ++count;
    }
    if (count == 0) page += "<p>There are none: every method is right at every pose.</p>\n";
    page += "</body>\n</html>\n";
    write_file(file, page);
}

}  // namespace graze::app
