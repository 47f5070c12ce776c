// FusedImpactPieces finds impacts on the host and hands them out in their order, piece by piece, so
// that they need not fit into memory.
//
// A search counts all impacts and keeps their keys alone, which tell pair and order. A piece's
// impacts are decided again when it is asked for, which takes a fraction of the time of the search,
// where nearly all pairs are no impacts. Keys that are too many for the room are not kept: they are
// counted by bins, which are in their order, and each few bins that fit get a search of their own,
// which looks at none but their pairs.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

#include "narrow_phase/features/feature_search_fused.h"

namespace graze {

namespace feature_detail {

// The order of keys cut into bins: by vertices of vertex-face pairs, then by first edges.
class KeyBins {
public:
    KeyBins() = default;
    KeyBins(const FeatureKeys& keys, std::int64_t vertex_count, std::int64_t edge_count)
        : keys_(keys),
          vertex_shift_(shift_for(vertex_count)),
          edge_shift_(shift_for(edge_count)),
          vertex_bins_((vertex_count >> vertex_shift_) + 1),
          count_(vertex_bins_ + (edge_count >> edge_shift_) + 1) {}

    std::int64_t count() const { return count_; }
    std::int64_t of(std::uint64_t key) const {
        if (!keys_.is_of_edges(key)) return keys_.vertex_face.high(key) >> vertex_shift_;
        const std::uint64_t pair = key ^ std::uint64_t{1} << keys_.kind_bit();
        return vertex_bins_ + (keys_.edge_edge.high(pair) >> edge_shift_);
    }
    bool is_of_edges(std::int64_t bin) const { return bin >= vertex_bins_; }

private:
    static constexpr int kMostBits = 16;
    static int shift_for(std::int64_t count) {
        return max_of(bits_for(max_of(count, std::int64_t{1})) - kMostBits, 0);
    }

    FeatureKeys keys_{};
    int vertex_shift_ = 0, edge_shift_ = 0;
    std::int64_t vertex_bins_ = 0, count_ = 0;
};

// What the lists of one search share.
struct KeySearch {
    const KeyBins& bins;
    std::int64_t first_bin, last_bin;     // those that are wanted, [first, last)
    std::int64_t room;                    // keys
    std::atomic<std::int64_t> taken = 0;  // of the room, more than all of it where it was too small

    bool is_full() const { return taken > room; }
};

// What one thread has found.
struct KeyList : FeatureList {
    using Hit = Impact;
    KeySearch* search = nullptr;
    ChunkedList<std::uint64_t> keys;  // none, where all lists together have no room for theirs
    std::vector<std::int64_t> bin_counts;
    double earliest = std::numeric_limits<double>::infinity();

    void begin(KeySearch& of) {
        if (search == &of) return;
        search = &of;
        bin_counts.assign(static_cast<std::size_t>(of.bins.count()), 0);
    }
    bool wants(std::uint64_t key) const {
        const std::int64_t bin = search->bins.of(key);
        return bin >= search->first_bin && bin < search->last_bin;
    }
    void add(std::uint64_t key, const Impact& impact) {
        ++bin_counts[static_cast<std::size_t>(search->bins.of(key))];
        earliest = min_of(earliest, impact.time);
        constexpr std::int64_t kMore = ChunkedList<std::uint64_t>::kChunk;
        if (keys.size() % kMore == 0 && search->taken.fetch_add(kMore) + kMore > search->room) {
            keys.release();
        } else {
            keys.push_back(key);
        }
    }
};

// Decides an impact again.
template <class T>
struct DecideKey {
    DeformingView<T> view;
    FeatureKeys keys;
    DecideImpact<T> impacts;
    const std::uint64_t* sorted_keys;
    Impact* result;
    void operator()(std::int64_t i) const {
        Impact impact{};
        if (keys.is_of_edges(sorted_keys[i])) {
            keys.name_edges(sorted_keys[i], view.edges, impact);
            static_cast<void>(impacts.template decide<FeaturePair::edge_edge>(impact));
        } else {
            keys.name_faces(sorted_keys[i], view.elements, impact);
            static_cast<void>(impacts.template decide<FeaturePair::vertex_face>(impact));
        }
        result[i] = impact;
    }
};

struct SortBin {
    const std::int64_t* ends;  // by bin
    std::uint64_t* keys;
    void operator()(std::int64_t bin) const {
        std::sort(keys + (bin == 0 ? 0 : ends[bin - 1]), keys + ends[bin]);
    }
};

}  // namespace feature_detail

class FusedImpactPieces {
public:
    explicit FusedImpactPieces(CpuExecutor& executor) : executor_(executor) {}

    // Counts; pairs is a search that has been built. All that the view names is used until the
    // last piece. Keys take up to room [bytes], or what one bin of them takes.
    template <class T>
    void begin(const DeformingView<T>& view, const FeatureKeys& keys, std::int64_t edge_count,
               const ElementPairs& pairs, std::int64_t room, const DecideImpact<T>& decide) {
        bins_ = feature_detail::KeyBins(keys, view.vertex_count, edge_count);
        room_ = max_of(room / kBytesPerKey, std::int64_t{1});
        search_ = [this, view, keys, &pairs, decide](std::int64_t first, std::int64_t last,
                                                     std::int64_t room_now) {
            search(view, keys, pairs, decide, first, last, room_now);
        };
        decide_ = [this, view, keys, decide](const std::uint64_t* sorted_keys, std::int64_t count) {
            executor_.for_each(
                "impacts: piece", count,
                feature_detail::DecideKey<T>{view, keys, decide, sorted_keys, piece_.data()}, 64);
        };
        search_(0, bins_.count(), room_);
        finish_counting();
    }

    // The impacts behind those of the last piece; none where that was the end. They live until the
    // next call.
    std::span<const Impact> next() {
        while (next_key_ == keys_.size() && next_bin_ < bins_.count()) {
            const std::int64_t first = next_bin_;
            next_bin_ = end_of_slice(first);
            search_(first, next_bin_, std::numeric_limits<std::int64_t>::max() / 2);
        }
        const std::int64_t count = min_of(kPiece, keys_.size() - next_key_);
        if (count == 0) return {};
        piece_.resize(count);
        decide_(keys_.data() + next_key_, count);
        next_key_ += count;
        return {piece_.data(), static_cast<std::size_t>(count)};
    }
    // Forgets the pieces that are left and gives their memory back.
    void end() {
        search_ = nullptr;
        decide_ = nullptr;
        keys_ = Buffer<std::uint64_t>(host_memory());
        next_key_ = 0;
        bins_ = {};
        next_bin_ = 0;
    }

    FeatureCounts counts;
    ImpactTotals totals;

private:
    static constexpr std::int64_t kPiece = std::int64_t{1} << 16;  // impacts, 3.5 MiB of them
    static constexpr std::int64_t kBytesPerKey = 16;  // in a list, and in order beside it

    template <class T>
    void search(const DeformingView<T>& view, const FeatureKeys& keys, const ElementPairs& pairs,
                const DecideImpact<T>& decide, std::int64_t first_bin, std::int64_t last_bin,
                std::int64_t room) {
        using namespace feature_detail;
        const SievedMotion motion = motion_.pack(executor_, view, decide);
        KeySearch shared{bins_, first_bin, last_bin, room};
        ThreadLists<KeyList> lists;
        const auto make_visitor = [&](KeyList& list) {
            list.begin(shared);
            return FusedVisitor<T, DecideImpact<T>, KeyList>(view, keys, decide, motion, list);
        };
        visit_pairs_fused(executor_, view, pairs, slot_bounds_, lists, make_visitor);
        for (KeyList& list : lists.all())
            make_visitor(list).finish();
        sum_up(lists);
        next_key_ = 0;
        keys_.resize(0);
        if (!shared.is_full()) sort(lists);
        was_full_ = shared.is_full();
    }

    void sum_up(ThreadLists<feature_detail::KeyList>& lists) {
        found_ = {};
        earliest_ = std::numeric_limits<double>::infinity();
        bin_counts_.assign(static_cast<std::size_t>(bins_.count()), 0);
        for (const feature_detail::KeyList& list : lists.all()) {
            feature_detail::add_counts(list.counts, found_);
            earliest_ = min_of(earliest_, list.earliest);
            for (std::size_t bin = 0; bin < bin_counts_.size(); ++bin)
                bin_counts_[bin] += list.bin_counts[bin];
        }
    }

    // Puts keys into their bins, which are in order, and those of each in order.
    void sort(ThreadLists<feature_detail::KeyList>& lists) {
        keys_.resize(std::accumulate(bin_counts_.begin(), bin_counts_.end(), std::int64_t{0}));
        std::vector<std::int64_t> ends(bin_counts_.size(), 0);  // so far
        std::exclusive_scan(bin_counts_.begin(), bin_counts_.end(), ends.begin(), std::int64_t{0});
        for (feature_detail::KeyList& list : lists.all()) {
            for (std::int64_t i = 0; i < list.keys.size(); ++i) {
                const std::uint64_t key = list.keys[i];
                keys_.data()[ends[static_cast<std::size_t>(bins_.of(key))]++] = key;
            }
            list.keys.release();
        }
        executor_.for_each("impacts: sort", bins_.count(),
                           feature_detail::SortBin{ends.data(), keys_.data()}, 16);
    }

    void finish_counting() {
        counts = found_;
        counts.slices = 1;
        totals = {};
        for (std::size_t bin = 0; bin < bin_counts_.size(); ++bin)
            (bins_.is_of_edges(static_cast<std::int64_t>(bin)) ? totals.edge_edge_count
                                                               : totals.vertex_face_count) +=
                bin_counts_[bin];
        if (earliest_ <= 1) totals.earliest = earliest_;
        all_bin_counts_ = bin_counts_;
        next_bin_ = was_full_ ? 0 : bins_.count();
        for (std::int64_t bin = next_bin_; bin < bins_.count(); bin = end_of_slice(bin))
            ++counts.slices;
    }
    // Behind the last bin that fits into the room with those from first on.
    std::int64_t end_of_slice(std::int64_t first) const {
        std::int64_t last = first, sum = 0;
        do {
            sum += all_bin_counts_[static_cast<std::size_t>(last++)];
        } while (last < bins_.count() &&
                 sum + all_bin_counts_[static_cast<std::size_t>(last)] <= room_);
        return last;
    }

    CpuExecutor& executor_;
    feature_detail::PackedMotion motion_;
    Buffer<ElementBounds> slot_bounds_{host_memory()};
    feature_detail::KeyBins bins_;
    std::int64_t room_ = 0;  // keys
    std::function<void(std::int64_t first, std::int64_t last, std::int64_t room)> search_;
    std::function<void(const std::uint64_t* sorted_keys, std::int64_t count)> decide_;

    // Of the last search.
    FeatureCounts found_;
    double earliest_ = 0;
    std::vector<std::int64_t> bin_counts_;
    bool was_full_ = false;
    Buffer<std::uint64_t> keys_{host_memory()};  // in order
    std::int64_t next_key_ = 0;

    std::vector<std::int64_t> all_bin_counts_;  // of the first
    std::int64_t next_bin_ = 0;                 // the first that was not searched
    Buffer<Impact> piece_{host_memory()};
};

}  // namespace graze
