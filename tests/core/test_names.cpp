// Names of enums: each value has its own, which comes back; and all that lists them elsewhere, the
// headers, the schema of scene files and the pages of docs/, lists the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "graze/error.h"
#include "graze/names.h"
#include "tests/documentation_page.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <NamedEnum Enum>
std::vector<std::string> list_of() {
    std::vector<std::string> names;
    for (const EnumName<Enum>& entry : names_of<Enum>())
        names.emplace_back(entry.name);
    return names;
}

// The values of an enum, as its header lists them.
std::vector<std::string> declared_values(const std::string& header, const std::string& name) {
    std::string text =
        testing::read_bytes(std::filesystem::path(GRAZE_SOURCE_DIR) / "include/graze" / header);
    text = std::regex_replace(text, std::regex("//[^\n]*"), "");
    std::smatch found;
    const std::regex declaration("enum class " + name + "[^{]*\\{([^}]*)\\}");
    if (!std::regex_search(text, found, declaration)) return {};
    const std::string body = found[1];
    const std::regex word("\\w+");
    return {std::sregex_token_iterator(body.begin(), body.end(), word), {}};
}

template <NamedEnum Enum>
void expect_names(const char* header, const char* enum_name) {
    const std::vector<std::string> names = list_of<Enum>(),
                                   values = declared_values(header, enum_name);
    if (std::is_same_v<Enum, FieldOrder>) {
        EXPECT_EQ(names.size(), values.size()) << enum_name;
    } else {
        EXPECT_EQ(names, values) << enum_name << ": give every value a line in graze/names.h";
    }
    int next = 0;
    for (const EnumName<Enum>& entry : names_of<Enum>()) {
        EXPECT_EQ(static_cast<int>(entry.value), next++) << entry.name;
        EXPECT_STREQ(name_of(entry.value), entry.name);
        EXPECT_EQ(parse_name<Enum>(entry.name), entry.value);
        EXPECT_STRNE(entry.meaning, "") << entry.name;
    }
    EXPECT_THROW(parse_name<Enum>("no such name"), Error) << enum_name;
    EXPECT_THROW(parse_name<Enum>(""), Error) << enum_name;
}

TEST(Names, EveryValueHasItsOwn) {
    expect_names<Method>("detector.h", "Method");
    expect_names<ParticleSampling>("detector.h", "ParticleSampling");
    expect_names<ParticleStep>("detector.h", "ParticleStep");
    expect_names<NormalRule>("detector.h", "NormalRule");
    expect_names<SweepMotion>("detector.h", "SweepMotion");
    expect_names<SweepRoles>("detector.h", "SweepRoles");
    expect_names<RayCast>("detector.h", "RayCast");
    expect_names<RayResponse>("detector.h", "RayResponse");
    expect_names<PosePlacing>("compare_methods.h", "PosePlacing");
    expect_names<ComparedMotion>("compare_methods.h", "ComparedMotion");
    expect_names<ContactUse>("compare_methods.h", "ContactUse");
    expect_names<FeatureKind>("contact.h", "FeatureKind");
    expect_names<FieldSign>("build_field.h", "FieldSign");
    expect_names<FieldOrder>("field.h", "FieldOrder");
    expect_names<PairSearch>("deforming.h", "PairSearch");
    expect_names<TimeSolver>("deforming.h", "TimeSolver");
    expect_names<SolverKind>("scene_description.h", "SolverKind");
    expect_names<PenaltyInterpolation>("scene_description.h", "PenaltyInterpolation");
    expect_names<BodyMotion>("scene_description.h", "BodyMotion");
    expect_names<MassSource>("scene_description.h", "MassSource");
    expect_names<RecordingTable>("recording.h", "RecordingTable");
}

TEST(Names, UnknownOnesAreRefusedWithTheNearest) {
    EXPECT_THAT([] { parse_name<ParticleSampling>("quasi-random"); },
                ThrowsMessage<Error>("no sampling is called 'quasi-random'; did you mean "
                                     "'quasi_random'?; there are: grid, quasi_random, adaptive"));
    EXPECT_THAT([] { parse_name<MassSource>("hull"); },
                ThrowsMessage<Error>("no source of masses is called 'hull'; there are: mesh, "
                                     "field"));
    EXPECT_STREQ(name_of(static_cast<Method>(100)), "");
}

// Calls see(path, member) for every member of the value, of those within it too.
template <class See>
void visit(const json& value, const std::string& path, const See& see) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            see(path, key, member);
            visit(member, path + "." + key, see);
        }
    } else if (value.is_array()) {
        for (const json& element : value)
            visit(element, path, see);
    }
}

// Every list of names in the schema is that of its enum, and the default is the library's.
TEST(Names, AreThoseOfTheSchema) {
    const SceneDescription scene;
    const ParticleOptions& particles = scene.detector.particles;
    struct Listed {
        std::vector<std::string> names;
        const char* standard;  // null where the schema names none
    };
    const std::map<std::string, Listed> listed{
        {"method", {list_of<Method>(), name_of(scene.method)}},
        {"sampling", {list_of<ParticleSampling>(), name_of(particles.sampling)}},
        {"step", {list_of<ParticleStep>(), name_of(particles.step)}},
        {"normal", {list_of<NormalRule>(), name_of(particles.normal)}},
        {"kind", {list_of<SolverKind>(), name_of(scene.solver.kind)}},
        {"interpolation",
         {list_of<PenaltyInterpolation>(), name_of(scene.solver.penalty.interpolation)}},
        {"motion", {list_of<BodyMotion>(), name_of(SceneBody{}.motion)}},
        {"sweep.motion", {list_of<SweepMotion>(), name_of(scene.detector.sweep.motion)}},
        {"roles", {list_of<SweepRoles>(), name_of(scene.detector.sweep.roles)}},
        {"cast", {list_of<RayCast>(), name_of(scene.detector.rays.cast)}},
        {"response", {list_of<RayResponse>(), name_of(scene.detector.rays.response)}},
        {"sign", {list_of<FieldSign>(), name_of(FieldOptions{}.sign)}},
        {"mass_from", {list_of<MassSource>(), nullptr}}};
    std::set<std::string> seen;
    visit(json::parse(scene_schema()), "",
          [&](const std::string& path, const std::string& name, const json& member) {
              // A body's motion is something else than that of the method sweep.
              const bool is_sweep = path.ends_with(".sweep.properties") && name == "motion";
              const std::string key = is_sweep ? "sweep.motion" : name;
              const auto found = listed.find(key);
              if (found == listed.end() || !member.is_object() || !member.contains("enum")) return;
              // What a formula's mass is integrated from is its field.
              const json of_formula{name_of(MassSource::field)};
              if (key == "mass_from" && member["enum"] == of_formula) return;
              seen.insert(key);
              EXPECT_EQ(member["enum"], json(found->second.names)) << path << "." << key;
              if (found->second.standard) {
                  EXPECT_EQ(member.value("default", ""), found->second.standard)
                      << path << "." << key;
              }
          });
    EXPECT_EQ(seen.size(), listed.size());
}

TEST(Names, StandInTheReferenceOfSceneFiles) {
    const std::string page = testing::documentation_page("# Scene files");
    for (const std::vector<std::string>& names :
         {list_of<Method>(), list_of<ParticleSampling>(), list_of<ParticleStep>(),
          list_of<NormalRule>(), list_of<SweepMotion>(), list_of<SweepRoles>(), list_of<RayCast>(),
          list_of<RayResponse>(), list_of<SolverKind>(), list_of<PenaltyInterpolation>(),
          list_of<BodyMotion>(), list_of<FieldSign>(), list_of<MassSource>()}) {
        for (const std::string& name : names)
            EXPECT_THAT(page, HasSubstr("`\"" + name + "\"`"));
    }
}

TEST(Names, StandInTheReferenceOfCommands) {
    const auto expect = [](const char* heading, const char* option,
                           const std::vector<std::string>& names) {
        const std::string row =
            testing::row_of(testing::documentation_page(heading), "| `" + std::string(option));
        for (const std::string& name : names)
            EXPECT_THAT(row, HasSubstr(name)) << heading << ", " << option;
    };
    expect("# graze collide", "--method", list_of<Method>());
    expect("# graze collide", "--sampling", list_of<ParticleSampling>());
    expect("# graze collide", "--step", list_of<ParticleStep>());
    expect("# graze collide", "--cast", list_of<RayCast>());
    expect("# graze collide", "--response", list_of<RayResponse>());
    for (const char* page : {"# graze collide", "# graze sweep"}) {
        expect(page, "--motion NAME", list_of<SweepMotion>());
        expect(page, "--roles", list_of<SweepRoles>());
    }
    expect("# graze compare", "--use", list_of<ContactUse>());
    expect("# graze compare", "--placing", list_of<PosePlacing>());
    expect("# graze compare", "--motion", list_of<ComparedMotion>());
    expect("# graze field, slice, mesh", "--order", list_of<FieldOrder>());
    expect("# graze field, slice, mesh", "--sign", list_of<FieldSign>());
    expect("# graze impacts", "--search", list_of<PairSearch>());
    expect("# graze impacts", "--solver", list_of<TimeSolver>());
    expect("# graze intersect", "--search", list_of<PairSearch>());
}

}  // namespace
}  // namespace graze
