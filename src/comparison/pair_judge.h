// PairJudge: the truth about two bodies at a pose, by exact decisions on triangles, winding numbers
// and dense samples. It is slow compared with the methods that it judges.
#pragma once

#include "comparison/intersection_parts.h"
#include "graze/compare_methods.h"

namespace graze {

class PairJudge {
public:
    // The bodies outlive the judge.
    PairJudge(const JudgedBody& a, const JudgedBody& b, double accuracy, const Device& device);

    struct Verdict {
        PoseTruth truth;
        std::vector<IntersectionPart> parts;  // those larger than the accuracy
    };
    // What there is at the pose, and inside the step where the body moves. The first body is where
    // its mesh is.
    Verdict judge(const ComparedPose& pose);
    // Whether the bodies have a point in common at a pose.
    bool is_touching(const Transform& b);

    // How far a point of the world is off the two bodies, a body without an inside being its
    // surface [m], and the angle between a direction and the nearer of both bodies' ways out [rad].
    double distance_off(const Vec3& point, const Transform& b) const;
    double angle_off(const Vec3& point, const Vec3& normal, const Transform& b) const;

private:
    std::vector<Vec3d> positions_at(const Transform& b) const;
    std::vector<IntersectionPart> find_parts(const Transform& b);
    double find_depth(const Transform& b) const;
    std::optional<double> find_time(const Transform& b_t0, const Transform& b_t1);

    const JudgedBody &a_, &b_;
    double accuracy_;
    Device device_;
    DeformingDetector detector_;
};

// The most that a body may turn between two moments of a motion that the judge takes for straight:
// a point at the distance r from the axis is then off by no more than r / 5000 [rad].
constexpr double kJudgedTurn = 0.04;

}  // namespace graze
