#include "recording/recording_frame.h"

#include <bit>
#include <cmath>

#include "graze/error.h"
#include "recording/straight_on.h"

namespace graze::recording {
namespace {

// Whether the contacts are those of the frame before, or follow.
constexpr std::uint8_t kSameContacts = 0, kNewContacts = 1;

}  // namespace

PoseBits bits_of(const Transform& pose) {
    const auto& [t, q, s] = pose;
    PoseBits bits;
    const float numbers[8] = {t.x, t.y, t.z, q.w, q.x, q.y, q.z, s};
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = std::bit_cast<std::uint32_t>(numbers[i]);
    return bits;
}

Transform pose_of(const PoseBits& bits) {
    const auto number = [&](std::size_t i) { return std::bit_cast<float>(bits[i]); };
    return {
        {number(0), number(1), number(2)}, {number(3), number(4), number(5), number(6)}, number(7)};
}

std::string fault_of(const Transform& pose) {
    const auto& [t, q, s] = pose;
    if (!is_finite(t)) return "its position is not finite";
    const float norm_sq = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    // This is what Scene allows, and some more for what a solver adds up.
    if (!(std::fabs(norm_sq - 1) < 1e-2f)) return "its rotation is no unit quaternion";
    if (!(s > 0) || !std::isfinite(s)) return "its scale is not a finite number above 0";
    return {};
}

void FrameHistory::forget() {
    for (std::size_t i = 0; i < last_.size(); ++i)
        last_[i] = before_[i] = PoseBits{};
    contacts_ = {};
}

// After a key frame every body is taken to have rested, so that nothing before it matters.
void FrameHistory::keep_as_key() {
    before_ = last_;
}

std::string FrameHistory::encode(bool is_key, double time, std::span<const BodyState> states,
                                 ContactCodes contacts) {
    if (is_key) forget();
    std::string raw;
    append(raw, time);
    std::vector<PoseBits> poses;
    poses.reserve(states.size());
    for (const BodyState& state : states)
        poses.push_back(bits_of(state.pose));
    const auto has_moved = [&](std::size_t i) { return poses[i] != last_[i]; };
    append_bits(raw, states.size(), [&](std::size_t i) { return states[i].is_present; });
    append_bits(raw, states.size(), [&](std::size_t i) { return states[i].is_asleep; });
    append_bits(raw, states.size(), has_moved);
    std::vector<std::uint32_t> column;
    for (std::size_t number = 0; number < PoseBits().size(); ++number) {
        column.clear();
        for (std::size_t i = 0; i < states.size(); ++i)
            if (has_moved(i))
                column.push_back(fold_sign(poses[i][number] -
                                           straight_on(last_[i][number], before_[i][number])));
        append_planes<std::uint32_t>(raw, column);
    }
    const bool is_same = !is_key && contacts == contacts_;
    append(raw, is_same ? kSameContacts : kNewContacts);
    if (!is_same) append_contacts(raw, contacts);

    before_ = std::move(last_);
    last_ = std::move(poses);
    contacts_ = std::move(contacts);
    if (is_key) keep_as_key();
    return raw;
}

RecordingFrame FrameHistory::decode(bool is_key, std::string_view raw) {
    if (is_key) forget();
    RawCursor cursor(raw);
    RecordingFrame frame;
    frame.time = cursor.next<double>();
    if (!std::isfinite(frame.time)) throw Error("its time is not a finite number");
    const std::size_t count = last_.size();
    const auto present = cursor.take((count + 7) / 8);
    const auto asleep = cursor.take((count + 7) / 8);
    const auto moved = cursor.take((count + 7) / 8);
    std::vector<std::size_t> movers;
    for (std::size_t i = 0; i < count; ++i)
        if (is_bit_set(moved, i)) movers.push_back(i);

    std::vector<PoseBits> poses = last_;
    std::vector<std::uint32_t> column(movers.size());
    for (std::size_t number = 0; number < PoseBits().size(); ++number) {
        cursor.planes<std::uint32_t>(column);
        for (std::size_t k = 0; k < movers.size(); ++k) {
            const std::size_t i = movers[k];
            poses[i][number] =
                straight_on(last_[i][number], before_[i][number]) + unfold_sign(column[k]);
        }
    }
    frame.states.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        BodyState& state = frame.states[i];
        state.pose = pose_of(poses[i]);
        state.is_present = is_bit_set(present, i);
        state.is_asleep = is_bit_set(asleep, i);
        if (const std::string fault = fault_of(state.pose); !fault.empty())
            throw Error("body " + std::to_string(i) + ": " + fault);
    }
    const auto kind = cursor.next<std::uint8_t>();
    if (kind > kNewContacts || (is_key && kind != kNewContacts))
        throw Error("it does not say what its contacts are");
    if (kind == kNewContacts) contacts_ = take_contacts(cursor, static_cast<std::uint32_t>(count));
    frame.contacts = decode_contacts(contacts_);
    cursor.expect_end();

    before_ = std::move(last_);
    last_ = std::move(poses);
    if (is_key) keep_as_key();
    return frame;
}

}  // namespace graze::recording
