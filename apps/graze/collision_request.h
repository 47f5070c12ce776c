// What a user says about two bodies that may touch, and how it is answered: the parts that graze
// collide and graze sweep share.
#pragma once

#include <string>

#include "field_request.h"
#include "graze/detector.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace graze::app {

struct CollisionRequest {
    struct Body {
        std::string file;
        std::string pose = "0 0 0";  // at the start of the step
        std::string end;             // and at its end; empty: the body does not move
    };
    Body a, b;
    Method method = Method::particles;
    FieldRequest field;
    PointOptions points;
    DetectorOptions options;
    float tolerance = 0;  // [m] of the method
    bool has_intervals = false;
    bool as_json = false, as_csv = false;
    std::string picture;  // empty: none
    int width = 1024;
    bool is_close_up = false;
    std::string page;  // empty: none
};

// Adds an option that is a pose, which is checked.
CLI::Option* add_pose_option(CLI::App& command, const char* names, std::string& pose,
                             const std::string& meaning);
// Adds --json, --csv, --png, --width, --close-up and --page.
void add_answer_options(CLI::App& command, CollisionRequest& request);
// Adds which contacts there are: --gap, --cell, --deepest, --manifold.
void add_contact_options(CLI::App& command, CollisionRequest& request);
// Adds the options of the method sweep, in a group.
void add_sweep_options(CLI::App& command, CollisionRequest& request, const char* group);
// Adds the options of the method rays, in a group.
void add_rays_options(CLI::App& command, CollisionRequest& request, const char* group);
// Throws CLI::ValidationError where options do not go together.
void check_collision(const CLI::App& command, const CollisionRequest& request);

// Opens the bodies, finds the contacts and prints them. Returns the exit code.
int run_collision(const CollisionRequest& request);

}  // namespace graze::app
