#include "io/fields/gfield.h"

#include <algorithm>
#include <string>

#include "graze/error.h"
#include "io/fields/check_sampled_field.h"
#include "io/fields/field_report_bytes.h"
#include "io/fields/gfield_chunks.h"
#include "io/unavailable_error.h"
#include "parallel/available_memory.h"
#include "parallel/fill.h"

namespace graze::io {
namespace {

template <class T>
const char* bytes_of(const Buffer<T>& buffer) {
    return reinterpret_cast<const char*>(buffer.data());
}
template <class T>
char* bytes_of(Buffer<T>& buffer) {
    return reinterpret_cast<char*>(buffer.data());
}

struct SetBrickOfBlock {
    const std::int32_t* block_of_brick;
    std::int32_t* brick_of_block;
    void operator()(std::int64_t i) const {
        brick_of_block[block_of_brick[i]] = static_cast<std::int32_t>(i);
    }
};

// Makes the table of blocks from the blocks of the bricks, which must be in the grid and ascending.
void set_brick_of_block(CpuExecutor& executor, SampledField& field, std::string_view name) {
    std::int64_t last = -1;
    for (std::int64_t i = 0; i < field.brick_count(); ++i) {
        const std::int32_t block = field.block_of_brick.data()[i];
        if (block <= last || block >= field.brick_of_block.size())
            throw Error(std::string(name) + ": brick " + std::to_string(i) + " is in block " +
                        std::to_string(block) + ", which is not in the grid or out of order");
        last = block;
    }
    executor.for_each("no bricks", field.brick_of_block.size(),
                      Fill<std::int32_t>{field.brick_of_block.data(), -1});
    executor.for_each("bricks of blocks", field.brick_count(),
                      SetBrickOfBlock{field.block_of_brick.data(), field.brick_of_block.data()});
}

GfieldHeader take_header(ByteSource& source, std::string_view name, bool verify) {
    char bytes[kGfieldHeaderBytes];
    const std::size_t size = std::min<std::uint64_t>(source.size(), sizeof bytes);
    if (size == 0) throw Error(std::string(name) + ": the file is empty");
    source.read(bytes, size);
    GfieldHeader header = decode_header({bytes, size}, name, verify);
    if (source.size() < least_file_size(header))
        throw Error(std::string(name) + ": byte " + std::to_string(source.size()) +
                    ": the file ends early: what its header announces takes at least " +
                    std::to_string(least_file_size(header)) + " bytes");
    return header;
}

void check_memory(const SampledFieldLayout& layout, std::string_view name) {
    const std::int64_t needed = memory_bytes_of(layout), free = available_memory(Device::cpu());
    if (needed > free)
        throw UnavailableError(std::string(name) + ": the field takes " +
                               std::to_string(needed >> 20) + " MiB of memory and " +
                               std::to_string(free >> 20) + " are free");
}

std::optional<FieldReport> take_report(const GfieldHeader& header, ChunkReader& reader,
                                       std::string_view name) {
    if (header.report_bytes == 0) return {};
    std::string bytes(static_cast<std::size_t>(header.report_bytes), '\0');
    reader.read(sections_of(header)[kReportSection], bytes.data());
    return decode_report(bytes, name);
}

}  // namespace

void write_gfield(CpuExecutor& executor, const SampledField& field, const GfieldExtras& extras,
                  std::string_view name, ByteSink& sink) {
    check_sampled_field(executor, field, name);
    const std::string report =
        extras.report ? encode_report(*extras.report, kGfieldMaxReportBytes) : std::string();
    GfieldHeader header{.layout = layout_of(field),
                        .is_surface_inside = field.is_surface_inside,
                        .band = field.band,
                        .error = field.error,
                        .seam = field.seam,
                        .report_bytes = static_cast<std::int64_t>(report.size()),
                        .key = extras.key};
    sink.write(encode_header(header));
    ChunkWriter writer(executor, sink, header.hash);
    const auto sections = sections_of(header);
    writer.write(sections[kReportSection], report.data());
    writer.write(sections[kBrickSection], bytes_of(field.block_of_brick));
    writer.write(sections[kCoarseSection], bytes_of(field.coarse));
    writer.write(sections[kSampleSection], field.order == FieldOrder::zero
                                               ? bytes_of(field.values)
                                               : bytes_of(field.samples));
    writer.write(sections[kErrorSection], bytes_of(field.errors));
    writer.write(sections[kTreeSection], bytes_of(field.tree.nodes));
}

GfieldContent read_gfield(CpuExecutor& executor, ByteSource& source, std::string_view name,
                          bool verify) {
    const GfieldHeader header = take_header(source, name, verify);
    check_memory(header.layout, name);
    ChunkReader reader(executor, source, kGfieldHeaderBytes, name, header.hash, verify);
    GfieldContent content;
    content.extras.key = header.key;
    content.extras.report = take_report(header, reader, name);

    content.field = std::make_shared<SampledField>(executor.memory());
    SampledField& field = *content.field;
    allocate_arrays(header.layout, field);
    field.is_surface_inside = header.is_surface_inside;
    field.band = header.band;
    field.error = header.error;
    field.seam = header.seam;
    const auto sections = sections_of(header);
    reader.read(sections[kBrickSection], bytes_of(field.block_of_brick));
    reader.read(sections[kCoarseSection], bytes_of(field.coarse));
    // The table is filled only now, when the file has proved to be as long as so many blocks ask
    // for.
    if (field.is_sparse) set_brick_of_block(executor, field, name);
    reader.read(sections[kSampleSection],
                field.order == FieldOrder::zero ? bytes_of(field.values) : bytes_of(field.samples));
    reader.read(sections[kErrorSection], bytes_of(field.errors));
    reader.read(sections[kTreeSection], bytes_of(field.tree.nodes));
    reader.expect_end();
    check_sampled_field(executor, field, name);
    return content;
}

GfieldBeginning read_gfield_beginning(ByteSource& source, std::string_view name) {
    GfieldBeginning beginning;
    beginning.header = take_header(source, name, true);
    CpuExecutor executor(1);
    ChunkReader reader(executor, source, kGfieldHeaderBytes, name, beginning.header.hash, true);
    beginning.report = take_report(beginning.header, reader, name);
    const auto sections = sections_of(beginning.header);
    for (std::size_t s = kReportSection + 1; s < sections.size(); ++s)
        reader.check(sections[s]);
    reader.expect_end();
    return beginning;
}

}  // namespace graze::io
