// Generators by their descriptions: the defaults are those of C++, every range is kept, and the
// schema of scene files and the pages of docs/ say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <regex>
#include <set>

#include "graze/error.h"
#include "graze/mesh_generators.h"
#include "graze/scene_description.h"
#include "tests/documentation_page.h"

namespace graze {
namespace {

using nlohmann::json;
using Unit = GeneratorOption::Unit;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

MeshRecipe recipe_called(const std::string& name) {
    for (const MeshRecipe& recipe : mesh_recipes()) {
        if (recipe.name == name) return recipe;
    }
    throw Error("no recipe is called " + name);
}

const std::vector<Vec3> kPath{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}};

void give_path(const MeshRecipe& recipe) {
    for (const GeneratorOption& option : recipe.options) {
        if (const auto* path = std::get_if<std::vector<Vec3>*>(&option.value)) **path = kPath;
    }
}

TEST(MeshGenerators, DefaultsAreThoseOfTheFunctions) {
    const std::map<std::string, std::function<Mesh()>> functions{{"torus", [] { return make_torus(); }},
                                                                 {"knot", [] { return make_knot(); }},
                                                                 {"sphere", [] { return make_sphere(0.5f); }},
                                                                 {"tube", [] { return make_tube(kPath, 0.1f); }},
                                                                 {"gear", [] { return make_gear(); }},
                                                                 {"bolt", [] { return make_bolt(); }},
                                                                 {"nut", [] { return make_nut(); }},
                                                                 {"pipe", [] { return make_pipe(); }},
                                                                 {"bowl", [] { return make_bowl(); }},
                                                                 {"funnel", [] { return make_funnel(); }},
                                                                 {"sheet", [] { return make_sheet(); }},
                                                                 {"skirt", [] { return make_skirt(); }},
                                                                 {"terrain", [] { return make_terrain(); }},
                                                                 {"statue", [] { return make_statue(); }}};
    const std::vector<MeshRecipe> recipes = mesh_recipes();
    EXPECT_EQ(recipes.size(), functions.size());
    for (const MeshRecipe& recipe : recipes) {
        give_path(recipe);
        const Mesh made = recipe.make(), expected = functions.at(recipe.name)();
        EXPECT_EQ(made.positions, expected.positions) << recipe.name;
        EXPECT_EQ(made.triangles, expected.triangles) << recipe.name;
    }
}

TEST(MeshGenerators, ValuesArrive) {
    const MeshRecipe nut = recipe_called("nut");
    for (const GeneratorOption& option : nut.options) {
        const std::string name = std::string(option.group) + "." + option.name;
        if (name == "thread.radius") **std::get_if<float*>(&option.value) = 0.6f;
        if (name == "thread.segments") **std::get_if<int*>(&option.value) = 48;
        if (name == ".radius") **std::get_if<float*>(&option.value) = 1.2f;
    }
    const Mesh expected = make_nut({.thread = {.radius = 0.6f, .segments = 48}, .radius = 1.2f});
    EXPECT_EQ(nut.make().positions, expected.positions);
    // Another recipe has options of its own.
    EXPECT_EQ(recipe_called("nut").make().positions, make_nut().positions);
}

TEST(MeshGenerators, NumbersOutOfRangeAreRefusedByName) {
    std::vector<MeshRecipe> recipes = mesh_recipes();
    for (std::size_t i = 0; i < recipes.size(); ++i) {
        for (std::size_t j = 0; j < recipes[i].options.size(); ++j) {
            // A fresh one, so that all else is well.
            const MeshRecipe recipe = mesh_recipes()[i];
            give_path(recipe);
            const GeneratorOption& option = recipe.options[j];
            const auto expect_refused = [&](auto& value, auto wrong) {
                value = wrong;
                EXPECT_THAT(recipe.make, ThrowsMessage<Error>(
                                             AllOf(StartsWith(std::string(recipe.name) + ": "),
                                                   HasSubstr(std::string(option.name) + " is "))));
            };
            if (const auto* number = std::get_if<float*>(&option.value)) {
                const auto least = static_cast<float>(option.least);
                expect_refused(**number, std::nanf(""));
                expect_refused(**number, std::nextafter(least, -1.0f));
                expect_refused(**number, static_cast<float>(option.most) * 1.001f);
            }
            if (const auto* count = std::get_if<int*>(&option.value)) {
                const int step = option.factor;
                expect_refused(**count, static_cast<int>(option.least) - step);
                const int most = static_cast<int>(option.most);
                expect_refused(**count, most - most % step + step);
                if (step > 1) expect_refused(**count, static_cast<int>(option.least) + 1);
            }
        }
    }
}

// The schema of a value with what it refers to.
json resolved(const json& schema, const json& value) {
    if (!value.contains("$ref")) return value;
    const auto reference = value["$ref"].get<std::string>();
    return schema.at(json::json_pointer(reference.substr(1)));
}

void expect_in_schema(const json& schema, const json& object, const GeneratorOption& option,
                      const std::string& path) {
    ASSERT_TRUE(object["properties"].contains(option.name)) << path;
    const json value = resolved(schema, object["properties"][option.name]);
    const auto [least, most] = option.shown_range();
    if (std::holds_alternative<std::vector<Vec3>*>(option.value)) {
        EXPECT_EQ(value["type"], "array") << path;
        EXPECT_EQ(value["minItems"], least) << path;
        EXPECT_EQ(value["maxItems"], most) << path;
        return;
    }
    const bool is_real = std::holds_alternative<float*>(option.value);
    EXPECT_EQ(value["type"], is_real ? "number" : "integer") << path;
    EXPECT_EQ(value["minimum"], least) << path;
    EXPECT_EQ(value["maximum"], most) << path;
    EXPECT_EQ(value.value("multipleOf", 1), option.factor) << path;
}

std::set<std::string> keys(const json& object) {
    std::set<std::string> result;
    for (const auto& [key, value] : object.items())
        result.insert(key);
    return result;
}

// Names of the options of a group; of those without a group, with the groups.
std::set<std::string> members_of(const MeshRecipe& recipe, const std::string& group) {
    std::set<std::string> members;
    for (const GeneratorOption& option : recipe.options) {
        if (option.group == group) members.insert(option.name);
        if (option.group != group && group.empty()) members.insert(option.group);
    }
    return members;
}

TEST(MeshGenerators, AreThoseOfTheSchema) {
    const json schema = json::parse(scene_schema());
    const json& generated = schema["$defs"]["generated"];
    std::set<std::string> names;
    json one_of = json::array();
    for (const MeshRecipe& recipe : mesh_recipes()) {
        names.insert(recipe.name);
        one_of.push_back({{"required", {recipe.name}}});
        const json object = generated["properties"][recipe.name];
        EXPECT_EQ(keys(object["properties"]), members_of(recipe, "")) << recipe.name;
        json required = json::array();
        for (const GeneratorOption& option : recipe.options) {
            const std::string group = option.group;
            const json owner =
                group.empty() ? object : resolved(schema, object["properties"][group]);
            if (!group.empty()) {
                EXPECT_EQ(keys(owner["properties"]), members_of(recipe, group)) << group;
            }
            expect_in_schema(schema, owner, option, std::string(recipe.name) + "." + option.name);
            if (option.is_required) required.push_back(option.name);
        }
        EXPECT_EQ(object.value("required", json::array()), required) << recipe.name;
    }
    EXPECT_EQ(keys(generated["properties"]), names);
    EXPECT_EQ(generated["oneOf"], one_of);
}

// As docs write it: lengths in metres, angles in degrees.
std::string default_text(const GeneratorOption& option) {
    char text[32] = "";
    if (const auto* number = std::get_if<float*>(&option.value)) {
        const bool is_angle = option.unit == Unit::radian;
        std::snprintf(text, sizeof text, is_angle ? "%.3g" : "%g",
                      is_angle ? double{**number} * 180 / std::numbers::pi : double{**number});
    } else if (const auto* count = std::get_if<int*>(&option.value)) {
        std::snprintf(text, sizeof text, "%d", **count);
    } else if (const auto* seed = std::get_if<std::uint32_t*>(&option.value)) {
        std::snprintf(text, sizeof text, "%u", **seed);
    }
    return text;
}

TEST(MeshGenerators, AreThoseOfTheReferenceOfTheCommand) {
    const std::string page = testing::documentation_page("# graze generate");
    const auto expect_row = [&](const std::string& beginning,
                                const std::map<std::string, std::string>& expected) {
        const std::string row = testing::row_of(page, beginning);
        const std::regex option("`(--?[a-z][a-z-]*)`(?: \\[([^\\]]*)\\])?");
        std::map<std::string, std::string> told;
        for (std::sregex_iterator it(row.begin(), row.end(), option), end; it != end; ++it)
            told[(*it)[1]] = (*it)[2];
        EXPECT_EQ(told, expected) << beginning;
    };
    for (const MeshRecipe& recipe : mesh_recipes()) {
        std::map<std::string, std::map<std::string, std::string>> by_group{{"", {}}};
        std::size_t count = 0;
        for (const GeneratorOption& option : recipe.options) {
            by_group[option.group][option.command_flag()] = default_text(option);
        }
        for (const auto& [group, expected] : by_group) {
            expect_row(group.empty() ? "| `" + std::string(recipe.name) + "` |" : "| " + group,
                       expected);
            count += expected.size();
        }
        EXPECT_EQ(count, recipe.options.size()) << recipe.name << ": two flags are alike";
    }
}

TEST(MeshGenerators, AreThoseOfTheReferenceOfSceneFiles) {
    const std::string page = testing::documentation_page("# Scene files");
    const std::size_t begin = page.find("**A generated mesh**"), end = page.find("**A formula**");
    ASSERT_LT(begin, end);
    const std::string section = page.substr(begin, end - begin);
    const auto words_of = [](const std::string& text) {
        const std::regex word("`([a-z_]+)`");
        std::set<std::string> words;
        for (std::sregex_iterator it(text.begin(), text.end(), word), last; it != last; ++it)
            words.insert((*it)[1]);
        return words;
    };
    for (const MeshRecipe& recipe : mesh_recipes()) {
        const std::string beginning = "| `" + std::string(recipe.name) + "` |";
        const std::string row = testing::row_of(section, beginning);
        ASSERT_FALSE(row.empty()) << recipe.name;
        EXPECT_EQ(words_of(row.substr(beginning.size())), members_of(recipe, "")) << recipe.name;
    }
    const std::size_t thread = section.find("\n`thread`:");
    ASSERT_NE(thread, section.npos);
    EXPECT_EQ(words_of(section.substr(thread + 10)), members_of(recipe_called("bolt"), "thread"));
}

}  // namespace
}  // namespace graze
