// Pages of what graze collide, sweep and impacts found (docs/commands/view.md).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "deforming_request.h"
#include "describe_contacts.h"
#include "graze/contact.h"

namespace graze::app {

// Two bodies and their contacts. Where they move within the step the page plays it, and shows the
// paths of points that touch; of the method rays it shows the rays.
void write_collision_page(const Collision& collision, const Scene& scene,
                          const std::filesystem::path& file);

// A mesh that deforms and its impacts, step by step.
class ImpactPage {
public:
    // first: of all frames; it stays. Nothing is kept where the file has no name.
    ImpactPage(const std::filesystem::path& file, const Frame& first);

    bool is_wanted() const { return !file_.empty(); }
    // A step begins; t0 is where the last one ended.
    void begin_step(const Frame& t0, const Frame& t1);
    void add(std::span<const Impact> impacts);
    void write() const;

private:
    struct Step {
        std::vector<Vec3> positions;  // [m] at t0
        std::vector<Contact> contacts;
        std::size_t impact_count;  // of which these are the first
    };
    std::filesystem::path file_;
    const Frame& first_;
    std::vector<Step> steps_;
    std::vector<Vec3> end_;
    std::vector<Vec3d> t0_, t1_;  // [m] of the last step
};

}  // namespace graze::app
