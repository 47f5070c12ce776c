#include "timed_world.h"

#include <chrono>

namespace graze::bullet {

namespace {

// AddTime adds the time until the end of its scope to a sum.
class AddTime {
public:
    explicit AddTime(double& sum) : sum_(sum) {}
    ~AddTime() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
    AddTime(const AddTime&) = delete;
    AddTime& operator=(const AddTime&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& sum_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace

int TimedWorld::stepSimulation(btScalar time_step, int max_substeps, btScalar fixed_step) {
    times = {};
    return SpeculativeWorld::stepSimulation(time_step, max_substeps, fixed_step);
}
void TimedWorld::updateAabbs() {
    const AddTime time(times.broad_phase);
    SpeculativeWorld::updateAabbs();
}
void TimedWorld::computeOverlappingPairs() {
    const AddTime time(times.broad_phase);
    SpeculativeWorld::computeOverlappingPairs();
}
void TimedWorld::solveConstraints(btContactSolverInfo& settings) {
    const AddTime time(times.solve);
    SpeculativeWorld::solveConstraints(settings);
}
void TimedWorld::predictUnconstraintMotion(btScalar time_step) {
    const AddTime time(times.integrate);
    SpeculativeWorld::predictUnconstraintMotion(time_step);
}
void TimedWorld::integrateTransforms(btScalar time_step) {
    const AddTime time(times.integrate);
    SpeculativeWorld::integrateTransforms(time_step);
}

}  // namespace graze::bullet
