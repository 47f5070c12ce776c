#include "graze/field_io.h"

#include <new>
#include <string>

#include "graze/error.h"
#include "graze/field_summary.h"
#include "io/atomic_file.h"
#include "io/fields/field_vdb.h"
#include "io/fields/gfield.h"
#include "io/fields/write_npy.h"
#include "io/file_source.h"
#include "io/lower_extension.h"

namespace graze {
namespace {

FieldReport report_of(const SampledField& field) {
    FieldReport report;
    report.sample_count = field.values.size() + field.samples.size();
    report.brick_count = field.brick_count();
    report.memory_bytes = field.memory_bytes();
    report.error = field.error;
    return report;
}

io::GfieldContent load_content(const std::filesystem::path& path) {
    CpuExecutor executor;
    const std::string name = path.string();
    switch (field_format(path)) {
        case FieldFormat::gfield: {
            io::FileSource source(path);
            return io::read_gfield(executor, source, name);
        }
        case FieldFormat::vdb: {
            std::vector<std::string> findings;
            io::GfieldContent content{io::read_vdb(executor, path, findings), {}};
            content.extras.report = report_of(*content.field);
            content.extras.report->findings = std::move(findings);
            return content;
        }
        case FieldFormat::npy:
            break;
    }
    throw Error(name + ": cannot read: .npy is written only; keep the field as .gfield");
}

}  // namespace

FieldFormat field_format(const std::filesystem::path& path) {
    const std::string extension = io::lower_extension(path);
    if (extension == ".gfield") return FieldFormat::gfield;
    if (extension == ".vdb") return FieldFormat::vdb;
    if (extension == ".npy") return FieldFormat::npy;
    throw Error(path.string() + ": unknown field format '" + path.extension().string() +
                "'; the extensions are .gfield, .vdb and .npy");
}

Field load_field(const std::filesystem::path& path, FieldReport* report) {
    try {
        const io::GfieldContent content = load_content(path);
        if (report) *report = content.extras.report.value_or(report_of(*content.field));
        return make_sampled_field(content.field);
    } catch (const std::bad_alloc&) {
        throw Error(path.string() +
                    ": the field does not fit into memory; give one of a smaller resolution");
    }
}

void save_field(const Field& field, const std::filesystem::path& path, const FieldReport* report) {
    const FieldFormat format = field_format(path);
    const std::string name = path.string() + ": cannot write";
    if (!field.is_sampled())
        throw Error(name + ": the field is not sampled; make it so with sample_field");
    const SampledField& samples = *samples_of(field);
    CpuExecutor executor;
    if (format == FieldFormat::npy) return io::write_npy(executor, samples, path);
    if (format == FieldFormat::vdb) return io::write_vdb(executor, samples, path);
    io::AtomicFile file(path);
    io::GfieldExtras extras;
    if (report) extras.report = *report;
    io::write_gfield(executor, samples, extras, name, file);
    file.commit();
}

FieldFileSummary read_field_summary(const std::filesystem::path& path) {
    if (field_format(path) != FieldFormat::gfield)
        throw Error(path.string() + ": only .gfield files have a summary; load the field");
    io::FileSource source(path);
    io::GfieldBeginning beginning = io::read_gfield_beginning(source, path.string());
    const io::GfieldHeader& header = beginning.header;
    return {.version = static_cast<int>(header.version()),
            .grid = header.layout.grid,
            .order = header.layout.order,
            .is_sparse = header.layout.is_sparse,
            .is_surface_inside = header.is_surface_inside,
            .has_min_max_tree = header.layout.has_tree,
            .sample_count = io::array_sizes_of(header.layout).samples,
            .brick_count = header.layout.brick_count,
            .band = header.band,
            .error = header.error,
            .error_bound = error_bound(header.layout.grid, header.layout.order) + header.seam,
            .memory_bytes = io::memory_bytes_of(header.layout),
            .file_bytes = static_cast<std::int64_t>(source.size()),
            .report = std::move(beginning.report)};
}

}  // namespace graze
