// graze query: asks a mesh about many points or rays. docs/commands/query.md describes it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "answer_text.h"
#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "graze/mesh_tree.h"
#include "graze/number_table.h"
#include "interrupt.h"
#include "progress_bar.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

// Indices up to here are whole numbers in floats.
constexpr std::size_t kMostTriangles = std::size_t{1} << 24;
constexpr std::int64_t kListedRows = 10;
constexpr float kNone = -1;  // in place of a triangle

enum class Question { closest, signed_distance, winding, rays };

struct QueryRequest {
    std::string mesh, points, output;
    bool closest = false, signs = false, winding = false, rays = false, as_json = false;
    float max_distance = std::numeric_limits<float>::infinity();
    std::string device = "cpu";
    int threads = 0;

    Question question() const {
        if (signs) return Question::signed_distance;
        if (winding) return Question::winding;
        return rays ? Question::rays : Question::closest;
    }
};

const char* name_of(Question question) {
    switch (question) {
        case Question::closest:
            return "closest";
        case Question::signed_distance:
            return "signed";
        case Question::winding:
            return "winding";
        case Question::rays:
            return "rays";
    }
    return "";
}

NumberTable load_questions(const QueryRequest& request) {
    const bool are_rays = request.question() == Question::rays;
    NumberTable table = load_table(request.points);
    const int wanted = are_rays ? 6 : 3;
    if (table.row_count > 0 && table.column_count != wanted) {
        throw Error(
            request.points + ": rows of " + std::to_string(table.column_count) + " numbers; give " +
            (are_rays ? "six for each ray, the origin and the direction: x, y, z, dx, dy, dz"
                      : "three for each point: x, y, z"));
    }
    return table;
}

Vec3 vector_at(const NumberTable& table, std::int64_t row, int column) {
    const float* values = table.values.data() + row * table.column_count + column;
    return {values[0], values[1], values[2]};
}

std::vector<Vec3> points_of(const NumberTable& table) {
    std::vector<Vec3> points(static_cast<std::size_t>(table.row_count));
    for (std::int64_t i = 0; i < table.row_count; ++i)
        points[static_cast<std::size_t>(i)] = vector_at(table, i, 0);
    return points;
}

std::vector<Ray> rays_of(const NumberTable& table) {
    std::vector<Ray> rays(static_cast<std::size_t>(table.row_count));
    for (std::int64_t i = 0; i < table.row_count; ++i)
        rays[static_cast<std::size_t>(i)] = {vector_at(table, i, 0), vector_at(table, i, 3)};
    return rays;
}

float index_number(std::uint32_t triangle) {
    return triangle == kNoTriangle ? kNone : static_cast<float>(triangle);
}

// An answer as rows of numbers.
class AnswerRows {
public:
    explicit AnswerRows(std::vector<std::string> names) {
        table_.column_count = static_cast<int>(names.size());
        table_.column_names = std::move(names);
    }
    void add(std::initializer_list<float> row) {
        table_.values.insert(table_.values.end(), row);
        ++table_.row_count;
    }
    NumberTable take() { return std::move(table_); }

private:
    NumberTable table_;
};

NumberTable ask(MeshTree& tree, const QueryRequest& request, const NumberTable& questions,
                const Progress& progress) {
    switch (request.question()) {
        case Question::closest: {
            AnswerRows rows({"x", "y", "z", "distance", "triangle", "u", "v", "nx", "ny", "nz"});
            for (const NearestPoint& p :
                 tree.find_nearest(points_of(questions), request.max_distance, progress)) {
                rows.add({p.position.x, p.position.y, p.position.z, p.distance,
                          index_number(p.triangle), p.u, p.v, p.normal.x, p.normal.y, p.normal.z});
            }
            return rows.take();
        }
        case Question::signed_distance: {
            AnswerRows rows({"distance"});
            for (const float distance :
                 tree.signed_distances(points_of(questions), DistanceSign::automatic, progress))
                rows.add({distance});
            return rows.take();
        }
        case Question::winding: {
            AnswerRows rows({"winding_number"});
            for (const float number : tree.winding_numbers(points_of(questions), progress))
                rows.add({number});
            return rows.take();
        }
        case Question::rays:
            break;
    }
    AnswerRows rows({"t", "triangle", "u", "v", "front"});
    for (const RayHit& hit : tree.find_first_hits(rays_of(questions), progress)) {
        if (hit.triangle == kNoTriangle) {
            rows.add({std::numeric_limits<float>::infinity(), kNone, 0, 0, 0});
        } else {
            rows.add({hit.t, index_number(hit.triangle), hit.u, hit.v, hit.front ? 1.0f : 0.0f});
        }
    }
    return rows.take();
}

// What was found, and how.
struct AnsweredQuery {
    const QueryRequest& request;
    const Mesh& mesh;
    const NumberTable& answers;
    std::string device;
    std::string sign;  // how inside was told from outside; empty where it was not asked
    double load_seconds, ask_seconds;

    float number(std::int64_t row, int column) const {
        return answers.values[static_cast<std::size_t>(row * answers.column_count + column)];
    }
};

std::string number_json(float number) {
    return std::isfinite(number) ? shortest(static_cast<double>(number)) : "null";
}

void write_json(const AnsweredQuery& found, const WriteBytes& write) {
    const QueryRequest& request = found.request;
    Json object{{"mesh", request.mesh},
                {"points", request.points},
                {"question", name_of(request.question())},
                {"triangle_count", found.mesh.triangles.size()},
                {"row_count", found.answers.row_count},
                {"columns", found.answers.column_names}};
    if (!found.sign.empty()) object["sign"] = found.sign;
    object["options"] = {{"device", found.device}, {"threads", request.threads}};
    object["seconds"] = {{"load", found.load_seconds}, {"query", found.ask_seconds}};
    const auto row = [&](std::size_t i) {
        std::vector<std::string> cells;
        cells.reserve(static_cast<std::size_t>(found.answers.column_count));
        for (int c = 0; c < found.answers.column_count; ++c)
            cells.push_back(number_json(found.number(static_cast<std::int64_t>(i), c)));
        return json_row(cells);
    };
    if (request.output.empty()) {
        write_with_rows(object, {{"rows", static_cast<std::size_t>(found.answers.row_count), row}},
                        write);
    } else {
        write(object.dump(2) + "\n");
    }
}

std::string to_text(const AnsweredQuery& found) {
    const QueryRequest& request = found.request;
    const NumberTable& answers = found.answers;
    std::vector<std::pair<std::string, std::string>> rows{
        {"triangles", with_separators(static_cast<std::int64_t>(found.mesh.triangles.size()))},
        {request.question() == Question::rays ? "rays" : "points",
         with_separators(answers.row_count)}};
    if (!found.sign.empty()) rows.emplace_back("sign", "by " + found.sign);
    rows.emplace_back("time", with_digits(1e3 * found.ask_seconds, 3) + " ms on " + found.device +
                                  ", files and preparation not counted");
    std::string text = styled(printable(request.mesh), Style::heading) + "\n" + in_rows(rows);
    if (!request.output.empty())
        return text + "\n" + printable(request.output) + " has the answers\n";
    std::vector<std::vector<std::string>> cells{answers.column_names};
    const std::int64_t count = std::min(kListedRows, answers.row_count);
    for (std::int64_t i = 0; i < count; ++i) {
        cells.emplace_back();
        for (int c = 0; c < answers.column_count; ++c)
            cells.back().push_back(with_digits(static_cast<double>(found.number(i, c))));
    }
    const std::string which = count < answers.row_count ? "the first " : "all ";
    return text + "\n  " + which + std::to_string(count) + ":\n" + in_columns(cells);
}

void query(const QueryRequest& request, const Interrupt& interrupt) {
    if (!request.output.empty()) {
        table_format(request.output);  // says what is wrong with the name
        check_output(request.output);
    }
    const Stopwatch loading;
    Mesh mesh = load_mesh(request.mesh);
    if (mesh.triangles.size() > kMostTriangles) {
        throw Error(request.mesh +
                    ": more than 2^24 triangles, whose indices are no whole numbers "
                    "in a table of floats; use MeshTree from C++");
    }
    const NumberTable questions = load_questions(request);
    interrupt.check();
    const Device device = Device::parse(request.device).with_threads(request.threads);
    MeshTree tree(std::move(mesh), device);
    std::string sign;
    if (request.question() == Question::signed_distance) {
        sign = tree.distance_sign() == DistanceSign::pseudonormal ? "normals" : "winding numbers";
    }
    const double load_seconds = loading.seconds();
    interrupt.check();
    NumberTable answers;
    const Stopwatch asking;
    {
        ProgressBar bar("query");
        answers = ask(tree, request, questions, [&](double fraction) {
            bar.show(fraction);
            interrupt.check();
            return true;
        });
    }
    const AnsweredQuery found{request, tree.mesh(),  answers,         device.name(),
                              sign,    load_seconds, asking.seconds()};
    if (!request.output.empty()) save_table(answers, request.output);
    if (request.as_json) {
        write_json(found, print);
    } else {
        print(to_text(found));
    }
}

int run_query(const QueryRequest& request) {
    const std::string& output = request.output;
    return run_interruptible(output.empty() ? "the answer" : output,
                             [&](const Interrupt& interrupt) { query(request, interrupt); });
}

}  // namespace

void add_command_query(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "query", "Ask a mesh about points and rays: distances, sides, what is hit");
    const auto request = std::make_shared<QueryRequest>();
    command->add_option("MESH", request->mesh, "A mesh (.obj, .ply, .stl, .off)")
        ->required()
        ->option_text(" ");
    command
        ->add_option("--points", request->points,
                     "The points, a row of x, y, z for each (.npy, .csv); with --rays a row of\n"
                     "x, y, z, dx, dy, dz: where a ray begins and its direction")
        ->required()
        ->option_text("FILE");
    CLI::Option* closest =
        command
            ->add_flag("--closest", request->closest,
                       "The nearest point of the mesh, its distance, triangle, weights u and v\n"
                       "(it is (1 - u - v) a + u b + v c) and normal (default)")
            ->option_text(" ");
    CLI::Option* signs =
        command->add_flag("--signed", request->signs, "The distance to the mesh, negative inside")
            ->excludes(closest)
            ->option_text(" ");
    CLI::Option* winding = command
                               ->add_flag("--winding", request->winding,
                                          "How often the mesh goes around each point: 1 inside, 0\n"
                                          "outside of a closed one; within 0.001")
                               ->excludes(closest)
                               ->excludes(signs)
                               ->option_text(" ");
    command
        ->add_flag("--rays", request->rays,
                   "What each ray hits first: t (in lengths of its direction), triangle, u, v and\n"
                   "whether from the front")
        ->excludes(closest)
        ->excludes(signs)
        ->excludes(winding)
        ->option_text(" ");
    command
        ->add_option("--max-distance", request->max_distance,
                     "Points of the mesh that are farther do not count [m] (for --closest)")
        ->check(CLI::NonNegativeNumber)
        ->excludes(signs)
        ->excludes(winding)
        ->option_text("M");
    command->add_option("-o,--output", request->output, "Write the answers there (.npy, .csv)")
        ->option_text("FILE");
    command
        ->add_flag("--json", request->as_json,
                   "Print one JSON object, with all answers where there is no -o")
        ->option_text(" ");
    command->add_option("--device", request->device, "cpu (default), cuda, cuda:N or best")
        ->check(check_device_name)
        ->option_text("NAME");
    command->add_option("--threads", request->threads, "Threads of the CPU; 0, the default: all")
        ->check(CLI::NonNegativeNumber)
        ->option_text("N");
    command->footer(
        "A row of the answer for each row of the question, in the same order. Where nothing is\n"
        "near or hit, the triangle is -1 and the distance or t is inf (null in JSON).\n"
        "Exact on the mesh itself: no field is built.\n"
        "\n"
        "Examples:\n"
        "  graze query bunny.obj --points p.npy --signed -o distances.npy\n"
        "  graze query bunny.obj --points p.csv --closest -o closest.csv\n"
        "  graze query bunny.obj --points rays.npy --rays --json");
    command->callback([&chosen, request] { chosen = [request] { return run_query(*request); }; });
}

}  // namespace graze::app
