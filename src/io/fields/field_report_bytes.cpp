#include "io/fields/field_report_bytes.h"

#include <cmath>
#include <cstring>

#include "graze/error.h"
#include "io/append_bytes.h"
#include "io/binary_cursor.h"

namespace graze::io {
namespace {

class ReportReader {
public:
    ReportReader(std::string_view bytes, std::string_view name)
        : name_(name), cursor_(bytes, name_, 0) {}

    template <class V>
    V next() {
        place_ = cursor_.take(sizeof(V), "a number");
        return load<V, std::endian::little>(place_);
    }
    std::int64_t count(const char* what) {
        const auto value = next<std::int64_t>();
        if (value < 0) fail(std::string("a negative number of ") + what);
        return value;
    }
    template <class V>
    V number(const char* what) {
        const V value = next<V>();
        if (std::isnan(value)) fail(std::string(what) + " is not a number");
        return value;
    }
    std::string text() {
        const auto size = next<std::uint32_t>();
        const char* first = cursor_.take(size, "a finding");
        return {first, size};
    }
    std::size_t bytes_left() const { return cursor_.bytes_left(); }
    // At the number that was taken last.
    [[noreturn]] void fail(const std::string& cause) const { cursor_.fail(place_, cause); }

private:
    std::string name_;
    BinaryCursor cursor_;
    const char* place_ = nullptr;
};

}  // namespace

std::string encode_report(const FieldReport& report, std::size_t limit) {
    std::string bytes;
    append_bytes(bytes, static_cast<std::uint32_t>(report.sign));
    append_bytes(bytes, std::uint32_t{0});  // findings, set below
    append_bytes(bytes, report.doubtful_sample_count);
    for (int axis = 0; axis < 3; ++axis)
        append_bytes(bytes, report.doubtful_box.min[axis]);
    for (int axis = 0; axis < 3; ++axis)
        append_bytes(bytes, report.doubtful_box.max[axis]);
    append_bytes(bytes, report.sample_count);
    append_bytes(bytes, report.brick_count);
    append_bytes(bytes, report.memory_bytes);
    append_bytes(bytes, report.seconds);
    append_bytes(bytes, report.error);
    std::uint32_t finding_count = 0;
    for (const std::string& finding : report.findings) {
        if (bytes.size() + 4 + finding.size() > limit) break;
        append_bytes(bytes, static_cast<std::uint32_t>(finding.size()));
        bytes += finding;
        ++finding_count;
    }
    std::memcpy(bytes.data() + 4, &finding_count, sizeof finding_count);
    return bytes;
}

FieldReport decode_report(std::string_view bytes, std::string_view name) {
    ReportReader reader(bytes, std::string(name) + ": the report");
    FieldReport report;
    const auto sign = reader.next<std::uint32_t>();
    if (sign > static_cast<std::uint32_t>(FieldSign::shell))
        reader.fail("there is no rule of signs with number " + std::to_string(sign));
    report.sign = static_cast<FieldSign>(sign);
    const auto finding_count = reader.next<std::uint32_t>();
    report.doubtful_sample_count = reader.count("doubtful samples");
    for (int axis = 0; axis < 3; ++axis)
        report.doubtful_box.min[axis] = reader.number<float>("a corner");
    for (int axis = 0; axis < 3; ++axis)
        report.doubtful_box.max[axis] = reader.number<float>("a corner");
    report.sample_count = reader.count("samples");
    report.brick_count = reader.count("bricks");
    report.memory_bytes = reader.count("bytes");
    report.seconds = reader.number<double>("the time");
    report.error = reader.number<float>("the error");
    for (std::uint32_t i = 0; i < finding_count; ++i)
        report.findings.push_back(reader.text());
    if (reader.bytes_left() > 0) reader.fail("bytes follow the last finding");
    return report;
}

}  // namespace graze::io
