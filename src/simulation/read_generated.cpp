#include "simulation/read_generated.h"

#include <algorithm>
#include <numbers>

#include "graze/mesh_generators.h"

namespace graze {

namespace {

// The largest number that the limit of detail leaves to an option.
int most_of(const GeneratorOption& option, int detail_limit) {
    const auto most = static_cast<int>(option.most);
    switch (option.detail) {
        case GeneratorOption::Detail::none:
            return most;
        case GeneratorOption::Detail::segments: {
            const int limit = std::min(detail_limit, most);
            return std::max(static_cast<int>(option.least), limit - limit % option.factor);
        }
        case GeneratorOption::Detail::subdivisions:
            break;
    }
    int subdivisions = 0;
    while (subdivisions < most && (2 << subdivisions) <= detail_limit)
        ++subdivisions;
    return subdivisions;
}

class OptionReader {
public:
    OptionReader(JsonCursor at, const GeneratorOption& option, int detail_limit)
        : at_(std::move(at)), option_(option), detail_limit_(detail_limit) {}

    void operator()(float* value) const {
        const auto found = at_.find(option_.name);
        if (!found) return;
        const auto [least, most] = option_.shown_range();
        const double number = found->number({least, most});
        const bool is_angle = option_.unit == GeneratorOption::Unit::radian;
        *value = static_cast<float>(is_angle ? number * std::numbers::pi / 180 : number);
    }
    void operator()(int* value) const {
        const int most = most_of(option_, detail_limit_);
        at_.read(option_.name, *value, static_cast<int>(option_.least), most);
        if (*value % option_.factor != 0) {
            at_.at(option_.name)
                .fail("is " + std::to_string(*value) + "; give a multiple of " +
                      std::to_string(option_.factor));
        }
        // A default may be finer than the limit.
        *value = std::min(*value, most);
    }
    void operator()(std::uint32_t* value) const { at_.read(option_.name, *value); }
    void operator()(std::vector<Vec3>* value) const {
        const JsonCursor points_at = at_.at(option_.name);
        value->resize(points_at.size(static_cast<std::size_t>(option_.least),
                                     static_cast<std::size_t>(option_.most)));
        for (std::size_t i = 0; i < value->size(); ++i)
            (*value)[i] = points_at[i].vector(kAnyLength);
    }

private:
    JsonCursor at_;
    const GeneratorOption& option_;
    int detail_limit_;
};

// The members of a generator's object, or of one of its groups of options: names of options, and of
// groups, each once.
std::vector<std::string> members_of(const MeshRecipe& recipe, const std::string& group) {
    std::vector<std::string> members;
    for (const GeneratorOption& option : recipe.options) {
        const bool is_within = option.group == group;
        if (!is_within && !group.empty()) continue;
        const std::string member = is_within ? option.name : option.group;
        if (members.empty() || members.back() != member) members.push_back(member);
    }
    return members;
}

void read_options(const JsonCursor& at, const MeshRecipe& recipe, int detail_limit) {
    at.require_members(members_of(recipe, ""));
    std::string open_group;
    for (const GeneratorOption& option : recipe.options) {
        const std::string group = option.group;
        const std::optional<JsonCursor> object = group.empty() ? at : at.find(group);
        if (!object) continue;
        if (group != open_group && !group.empty())
            object->require_members(members_of(recipe, group));
        open_group = group;
        if (option.is_required) object->at(option.name);
        std::visit(OptionReader(*object, option, detail_limit), option.value);
    }
}

}  // namespace

GeneratedMesh read_generated(const JsonCursor& at, int detail_limit) {
    const std::vector<MeshRecipe> recipes = mesh_recipes();
    std::vector<std::string> kinds;
    kinds.reserve(recipes.size());
    for (const MeshRecipe& recipe : recipes)
        kinds.emplace_back(recipe.name);
    at.require_members(kinds);
    const std::string kind = at.require_one_of(kinds);
    const auto index = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
    const MeshRecipe& recipe = recipes[static_cast<std::size_t>(index)];
    read_options(at.at(kind), recipe, detail_limit);
    return {kind, recipe.make};
}

}  // namespace graze
