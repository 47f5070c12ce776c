#include <charconv>

#include "graze/error.h"
#include "graze/number_table.h"
#include "graze/write_file.h"
#include "io/npy_header.h"

namespace graze {

namespace {

void write_table_npy(const NumberTable& table, const WriteBytes& write) {
    std::vector<std::int64_t> shape{table.row_count};
    if (table.column_count != 1) shape.push_back(table.column_count);
    write(io::npy_header(shape));
    write(
        {reinterpret_cast<const char*>(table.values.data()), table.values.size() * sizeof(float)});
}

void write_table_csv(const NumberTable& table, const WriteBytes& write) {
    std::string text;
    for (std::size_t c = 0; c < table.column_names.size(); ++c)
        text += (c == 0 ? "" : ",") + table.column_names[c];
    if (!text.empty()) text += '\n';
    const auto columns = static_cast<std::size_t>(table.column_count);
    for (std::size_t i = 0; i < table.values.size(); ++i) {
        char digits[32];
        text.append(digits, std::to_chars(digits, digits + sizeof digits, table.values[i]).ptr);
        text += (i + 1) % columns == 0 ? '\n' : ',';
        if (text.size() > (1 << 20)) {
            write(text);
            text.clear();
        }
    }
    write(text);
}

}  // namespace

void save_table(const NumberTable& table, const std::filesystem::path& path) {
    const auto count =
        static_cast<std::size_t>(table.row_count) * static_cast<std::size_t>(table.column_count);
    if (table.row_count < 0 || table.column_count < 1 || count != table.values.size()) {
        throw Error(path.string() + ": a table of " + std::to_string(table.row_count) +
                    " rows of " + std::to_string(table.column_count) + " with " +
                    std::to_string(table.values.size()) +
                    " numbers; give as many as it has room "
                    "for");
    }
    const TableFormat format = table_format(path);
    write_file(path, [&](const WriteBytes& write) {
        if (format == TableFormat::npy) {
            write_table_npy(table, write);
        } else {
            write_table_csv(table, write);
        }
    });
}

}  // namespace graze
