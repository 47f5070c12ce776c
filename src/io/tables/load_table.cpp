#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "graze/error.h"
#include "graze/number_table.h"
#include "io/lower_extension.h"
#include "io/parse_real.h"
#include "io/read_file.h"
#include "io/tables/parse_table.h"

namespace graze {

static_assert(std::endian::native == std::endian::little, "tables are little-endian");

namespace io {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr std::int64_t kMostColumns = 1 << 16;

[[noreturn]] void fail_npy(std::string_view name, const std::string& cause) {
    throw Error(std::string(name) + ": " + cause);
}

// The value behind a key of the header, which is a dictionary of Python's; empty where it has none.
std::string_view value_of(std::string_view header, std::string_view key) {
    const std::size_t at = header.find("'" + std::string(key) + "'");
    if (at == std::string_view::npos) return {};
    const std::size_t colon = header.find(':', at);
    if (colon == std::string_view::npos) return {};
    std::string_view rest = header.substr(colon + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return rest;
}

// "(3, 4)" or "(3,)"; at most two dimensions.
std::vector<std::int64_t> parse_shape(std::string_view text, std::string_view name) {
    std::vector<std::int64_t> shape;
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos)
        fail_npy(name, "its header gives no shape; write it with numpy.save");
    text = text.substr(1, end - 1);
    while (!text.empty()) {
        text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
        if (text.empty()) break;
        std::int64_t size = -1;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (error != std::errc() || size < 0)
            fail_npy(name, "its header gives no shape of whole numbers; write it with numpy.save");
        shape.push_back(size);
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    }
    if (shape.empty() || shape.size() > 2) {
        fail_npy(name, "an array of " + std::to_string(shape.size()) +
                           " dimensions; give one of one or two, a row for each point");
    }
    return shape;
}

template <class T>
void copy_numbers(std::string_view bytes, std::string_view name, std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        if (!std::isfinite(value) ||
            std::fabs(value) > static_cast<T>(std::numeric_limits<float>::max())) {
            fail_npy(name, "number " + std::to_string(i) +
                               " is not finite or beyond the floats; give finite numbers");
        }
        values[i] = static_cast<float>(value);
    }
}

bool is_between(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r';
}

// Reads the numbers of a line. Returns null, or where what is no number begins.
const char* parse_row(const char* at, const char* end, RealStatus& status,
                      std::vector<float>& row) {
    row.clear();
    for (;;) {
        while (at != end && is_between(*at))
            ++at;
        if (at == end) return nullptr;
        const ParsedReal<float> parsed = parse_real<float>(at, end);
        status = parsed.status;
        const bool ends = parsed.stop == end || is_between(*parsed.stop);
        if (status == RealStatus::ok && !ends) status = RealStatus::malformed;
        if (status != RealStatus::ok) return at;
        row.push_back(parsed.value);
        at = parsed.stop;
    }
}

// Names stand between commas and may have blanks within.
std::vector<std::string> parse_names(std::string_view line) {
    std::vector<std::string> names;
    while (true) {
        const std::size_t comma = line.find(',');
        std::string_view name = line.substr(0, comma);
        name.remove_prefix(std::min(name.find_first_not_of(" \t\r"), name.size()));
        name = name.substr(0, name.find_last_not_of(" \t\r") + 1);
        names.emplace_back(name);
        if (comma == std::string_view::npos) return names;
        line.remove_prefix(comma + 1);
    }
}

}  // namespace

NumberTable parse_npy(std::string_view bytes, std::string_view name) {
    if (!bytes.starts_with(kNpyMagic) || bytes.size() < 10)
        fail_npy(name, "no NumPy array begins here; write it with numpy.save");
    const int version = static_cast<unsigned char>(bytes[6]);
    const std::size_t width = version == 1 ? 2 : 4;
    if (version < 1 || version > 3 || bytes.size() < 8 + width)
        fail_npy(name, "an unknown version of .npy: " + std::to_string(version));
    std::size_t header_size = 0;
    for (std::size_t i = 0; i < width; ++i)
        header_size |= std::size_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
    if (header_size > bytes.size() - 8 - width)
        fail_npy(name, "it ends within its header; write it with numpy.save");
    const std::string_view header = bytes.substr(8 + width, header_size);
    const std::string_view content = bytes.substr(8 + width + header_size);

    const std::string_view type = value_of(header, "descr");
    const bool is_double = type.starts_with("'<f8'");
    if (!is_double && !type.starts_with("'<f4'")) {
        fail_npy(name,
                 "its numbers are no little-endian floats of 32 or 64 bits; save "
                 "array.astype('float32')");
    }
    if (!value_of(header, "fortran_order").starts_with("False"))
        fail_npy(name, "in Fortran's order; save numpy.ascontiguousarray(array)");
    const std::vector<std::int64_t> shape = parse_shape(value_of(header, "shape"), name);
    NumberTable table;
    table.row_count = shape[0];
    const std::int64_t columns = shape.size() == 2 ? shape[1] : 1;
    if (columns < 1 || columns > kMostColumns)
        fail_npy(name, "rows of " + std::to_string(columns) + " numbers; give 1 to 65536");
    table.column_count = static_cast<int>(columns);
    const std::size_t number_size = is_double ? 8 : 4;
    const std::size_t count = content.size() / number_size;
    if (content.size() % number_size != 0 || count % static_cast<std::size_t>(columns) != 0 ||
        count / static_cast<std::size_t>(columns) != static_cast<std::size_t>(table.row_count)) {
        fail_npy(name, "it has " + std::to_string(content.size()) +
                           " bytes of numbers, which its shape does not; write it anew");
    }
    table.values.resize(count);
    if (is_double) {
        copy_numbers<double>(content, name, table.values);
    } else {
        copy_numbers<float>(content, name, table.values);
    }
    return table;
}

NumberTable parse_csv(std::string_view bytes, std::string_view name) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    NumberTable table;
    std::vector<float> row;
    bool is_first = true;
    std::int64_t line_number = 0;
    const auto fail = [&](const std::string& cause) {
        throw Error(std::string(name) + ":" + std::to_string(line_number) + ": " + cause);
    };
    for (std::size_t begin = 0; begin < bytes.size();) {
        const std::size_t end = std::min(bytes.find_first_of("\n\r", begin), bytes.size());
        const std::string_view line = bytes.substr(begin, end - begin);
        // A line may end with both.
        begin = end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1);
        ++line_number;
        if (line.starts_with('#')) continue;
        RealStatus status = RealStatus::ok;
        const char* wrong = parse_row(line.data(), line.data() + line.size(), status, row);
        if (wrong == nullptr && row.empty()) continue;
        if (wrong != nullptr && is_first && row.empty() && status == RealStatus::malformed) {
            table.column_names = parse_names(line);
            is_first = false;
            continue;
        }
        if (wrong != nullptr) {
            const auto length = static_cast<std::size_t>(line.data() + line.size() - wrong);
            const std::string_view word(wrong, std::min<std::size_t>(length, 24));
            std::string shown;
            for (const char c : word.substr(0, word.find_first_of(",; \t")))
                shown += c > ' ' && c < 0x7f ? c : '?';
            fail(status == RealStatus::malformed
                     ? "'" + shown + "' is no number; give numbers apart by commas"
                     : "'" + shown + "' is not finite or beyond the floats; give finite numbers");
        }
        is_first = false;
        if (table.column_count == 0) {
            if (static_cast<std::int64_t>(row.size()) > kMostColumns)
                fail("more than 65536 numbers in a row");
            table.column_count = static_cast<int>(row.size());
        }
        if (static_cast<int>(row.size()) != table.column_count) {
            fail("a row of " + std::to_string(row.size()) + " numbers, where those before have " +
                 std::to_string(table.column_count));
        }
        table.values.insert(table.values.end(), row.begin(), row.end());
        ++table.row_count;
    }
    if (static_cast<int>(table.column_names.size()) != table.column_count)
        table.column_names.clear();  // a title
    return table;
}

}  // namespace io

TableFormat table_format(const std::filesystem::path& path) {
    const std::string extension = io::lower_extension(path);
    if (extension == ".npy") return TableFormat::npy;
    if (extension == ".csv") return TableFormat::csv;
    throw Error(path.string() + ": no name of a table of numbers; end it in .npy or .csv");
}

NumberTable load_table(const std::filesystem::path& path) {
    const TableFormat format = table_format(path);
    const io::FileBytes file = io::read_file(path);
    return format == TableFormat::npy ? io::parse_npy(file.view(), path.string())
                                      : io::parse_csv(file.view(), path.string());
}

}  // namespace graze
