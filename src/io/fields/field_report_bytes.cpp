#include "io/fields/field_report_bytes.h"

#include <cmath>
#include <cstring>

#include "graze/error.h"
#include "io/append_bytes.h"
#include "io/value_reader.h"

namespace graze::io {
namespace {

std::int64_t next_count(ValueReader& reader, const char* what) {
    const auto value = reader.next<std::int64_t>();
    if (value < 0) reader.fail(std::string("a negative number of ") + what);
    return value;
}

template <class V>
V next_number(ValueReader& reader, const char* what) {
    const V value = reader.next<V>();
    if (std::isnan(value)) reader.fail(std::string(what) + " is not a number");
    return value;
}

std::string next_text(ValueReader& reader) {
    const auto size = reader.next<std::uint32_t>();
    return std::string(reader.next_bytes(size, "a finding"));
}

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
    ValueReader reader(bytes, std::string(name) + ": the report", "a number");
    FieldReport report;
    const auto sign = reader.next<std::uint32_t>();
    if (sign > static_cast<std::uint32_t>(FieldSign::shell))
        reader.fail("there is no rule of signs with number " + std::to_string(sign));
    report.sign = static_cast<FieldSign>(sign);
    const auto finding_count = reader.next<std::uint32_t>();
    report.doubtful_sample_count = next_count(reader, "doubtful samples");
    for (int axis = 0; axis < 3; ++axis)
        report.doubtful_box.min[axis] = next_number<float>(reader, "a corner");
    for (int axis = 0; axis < 3; ++axis)
        report.doubtful_box.max[axis] = next_number<float>(reader, "a corner");
    report.sample_count = next_count(reader, "samples");
    report.brick_count = next_count(reader, "bricks");
    report.memory_bytes = next_count(reader, "bytes");
    report.seconds = next_number<double>(reader, "the time");
    report.error = next_number<float>(reader, "the error");
    for (std::uint32_t i = 0; i < finding_count; ++i)
        report.findings.push_back(next_text(reader));
    if (reader.bytes_left() > 0) reader.fail("bytes follow the last finding");
    return report;
}

}  // namespace graze::io
