#include "graze/split_detector.h"

#include <exception>
#include <thread>

#include "broad_phase/body_boxes.h"
#include "detection/body_lists.h"
#include "detection/detector_engine.h"
#include "detection/pair_blocks.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {

class SplitDetector::Blocks {
public:
    Blocks(Method method, const std::vector<Device>& devices, const DetectorOptions& options)
        : pairs_of_blocks_(devices.size()), contacts_(devices.size()), failures_(devices.size()) {
        if (devices.empty()) throw Error("detector: there is no device; give one or more");
        for (const Device& device : devices)
            engines_.push_back(make_engine(method, device, options));
        table_.emplace(executor_, host_needs());
    }

    std::span<const Contact> detect(const Scene& scene) {
        find_pairs(scene);
        bodies_.follow(scene);
        pairs_of_blocks_.update(
            std::span(pairs_.pairs.data(), static_cast<std::size_t>(pairs_.pairs.size())),
            bodies_.host_last_bodies(), [&](const BodyPair& pair) {
                return load_of(scene[pair.body_a]) + load_of(scene[pair.body_b]);
            });
        run_blocks(scene);
        merge_contacts();
        fill_report();
        return merged_;
    }

    const StepReport& report() const { return report_; }
    const std::vector<std::int64_t>& pair_counts() const { return pair_counts_; }

private:
    using Table = ShapeTable<CpuExecutor, NoTextures>;

    ShapeNeeds host_needs() const {
        ShapeNeeds needs = engines_.front()->needs();
        needs.texture = false;
        return needs;
    }

    // The broad phase of a Detector, on the host.
    void find_pairs(const Scene& scene) {
        bodies_.update(scene, engines_.front()->looks_into_step(), *table_);
        boxes_.resize(bodies_.count());
        executor_.for_each(
            "bodies: boxes", bodies_.count(),
            BodyBoxes{table_->bounds(), bodies_.shapes(), bodies_.poses(), bodies_.poses_t1(),
                      engines_.front()->options().gap * 0.5f, boxes_.data()});
        find_body_pairs(executor_, boxes_.data(), bodies_.filters(), bodies_.count(), pairs_);
    }

    static std::uint64_t load_of(const Body& body) {
        return body.shape.mesh() ? 1 + body.shape.mesh()->positions.size() : 1;
    }

    // The first block is this thread's.
    void run_blocks(const Scene& scene) {
        const auto run = [&](std::size_t block) {
            failures_[block] = nullptr;
            try {
                const std::span<const BodyPair> pairs = pairs_of_blocks_.pairs_of(block);
                contacts_[block] = engines_[block]->detect(scene, &pairs);
            } catch (...) {
                failures_[block] = std::current_exception();
            }
        };
        std::vector<std::thread> threads;
        for (std::size_t block = 1; block < engines_.size(); ++block)
            threads.emplace_back(run, block);
        run(0);
        for (std::thread& thread : threads)
            thread.join();
        for (const std::exception_ptr& failure : failures_) {
            if (failure) std::rethrow_exception(failure);
        }
    }

    // Each block has its contacts by pair, ascending, and no pair is in two blocks.
    void merge_contacts() {
        merged_.clear();
        std::vector<std::span<const Contact>> rest = contacts_;
        const auto pair_of = [](const Contact& c) { return BodyPair{c.body_a, c.body_b}; };
        for (;;) {
            std::span<const Contact>* first = nullptr;
            for (std::span<const Contact>& list : rest) {
                if (list.empty()) continue;
                if (!first || pair_of(list.front()) < pair_of(first->front())) first = &list;
            }
            if (!first) return;
            std::size_t count = 1;
            while (count < first->size() && pair_of((*first)[count]) == pair_of(first->front()))
                ++count;
            merged_.insert(merged_.end(), first->begin(),
                           first->begin() + static_cast<std::ptrdiff_t>(count));
            *first = first->subspan(count);
        }
    }

    void fill_report() {
        report_ = {};
        pair_counts_.clear();
        for (const auto& engine : engines_) {
            const StepReport& part = engine->report();
            pair_counts_.push_back(part.pair_count);
            report_.pair_count += part.pair_count;
            report_.found_count += part.found_count;
            report_.contact_count += part.contact_count;
            report_.figures.resize(part.figures.size());
            for (std::size_t i = 0; i < part.figures.size(); ++i) {
                report_.figures[i].name = part.figures[i].name;
                report_.figures[i].value += part.figures[i].value;
            }
        }
    }

    CpuExecutor executor_;
    std::vector<std::unique_ptr<DetectorEngine>> engines_;
    std::optional<Table> table_;
    BodyLists<CpuExecutor> bodies_{executor_, host_memory()};
    Buffer<Aabb> boxes_{host_memory()};
    BodyPairs pairs_{host_memory()};
    PairBlocks pairs_of_blocks_;
    std::vector<std::span<const Contact>> contacts_;  // by block
    std::vector<std::exception_ptr> failures_;        // by block
    std::vector<Contact> merged_;
    std::vector<std::int64_t> pair_counts_;
    StepReport report_;
};

SplitDetector::SplitDetector(Method method, const std::vector<Device>& devices,
                             const DetectorOptions& options)
    : blocks_(std::make_unique<Blocks>(method, devices, options)) {}
SplitDetector::~SplitDetector() = default;
SplitDetector::SplitDetector(SplitDetector&&) noexcept = default;
SplitDetector& SplitDetector::operator=(SplitDetector&&) noexcept = default;

std::span<const Contact> SplitDetector::detect(const Scene& scene) {
    return blocks_->detect(scene);
}
const StepReport& SplitDetector::report() const {
    return blocks_->report();
}
const std::vector<std::int64_t>& SplitDetector::pair_counts() const {
    return blocks_->pair_counts();
}

}  // namespace graze
