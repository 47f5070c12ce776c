#include "io/fields/vdb_archive.h"

#include <bit>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "graze/error.h"
#include "io/append_bytes.h"
#include "io/binary_cursor.h"

namespace graze::io {
namespace {

constexpr std::uint64_t kMagic = 0x56444220;
// From the first version that compresses nodes as they are checked here to the newest.
constexpr std::uint32_t kOldestVersion = 222, kNewestVersion = 224;
constexpr std::size_t kUuidBytes = 36;
constexpr std::string_view kFloatTree = "Tree_float_5_4_3";
constexpr std::string_view kHalfSuffix = "_HalfFloat";
constexpr std::string_view kLevelSet = "level set";
constexpr std::uint32_t kZip = 1, kActiveMask = 2, kBlosc = 4;
// Values per axis of the two inner kinds of node and of leaves, as powers of two.
constexpr int kLevels[] = {5, 4, 3};
constexpr std::int32_t kRootStep = 1 << (5 + 4 + 3);  // voxels of a root's child along an axis

// A transform and the bytes of its parameters; all that can make cubes along the axes.
struct MapKind {
    std::string_view type;
    std::size_t bytes;
};
constexpr MapKind kMaps[] = {{"AffineMap", 128},
                             {"UnitaryMap", 128},
                             {"ScaleMap", 120},
                             {"UniformScaleMap", 120},
                             {"TranslationMap", 24},
                             {"ScaleTranslateMap", 144},
                             {"UniformScaleTranslateMap", 144}};

// Metadata that is kept, with its type and the size of its value; 0: any.
struct KeptMetadata {
    std::string_view name, type;
    std::size_t bytes;
};
constexpr KeptMetadata kKept[] = {{"class", "string", 0},
                                  {"name", "string", 0},
                                  {"graze_cells", "vec3i", 12},
                                  {"graze_sparse", "bool", 1}};

// ArchiveReader steps through an archive. OpenVDB writes in the machine's order of bytes, which is
// little-endian wherever graze runs.
class ArchiveReader {
public:
    ArchiveReader(std::string_view bytes, std::string_view name)
        : bytes_(bytes), cursor_(bytes, name, 0) {}

    template <class V>
    V next(const char* what) {
        return load<V, std::endian::little>(cursor_.take(sizeof(V), what));
    }
    std::string_view take(std::uint64_t size, const char* what) {
        return {cursor_.take(size, what), static_cast<std::size_t>(size)};
    }
    std::string_view text(const char* what) { return take(next<std::uint32_t>(what), what); }
    std::size_t offset() const { return static_cast<std::size_t>(cursor_.at() - bytes_.data()); }
    void go_to(std::int64_t offset) {
        if (offset < static_cast<std::int64_t>(this->offset()))
            fail("a grid ends before it begins");
        take(static_cast<std::uint64_t>(offset) - this->offset(), "a grid");
    }
    std::string_view since(std::size_t first) const {
        return bytes_.substr(first, offset() - first);
    }
    [[noreturn]] void fail(const std::string& cause) const { cursor_.fail(cause); }

private:
    std::string_view bytes_;
    BinaryCursor cursor_;
};

template <std::size_t kBits>
class Mask {
public:
    explicit Mask(ArchiveReader& reader) : bytes_(reader.take(kBits / 8, "the mask of a node")) {}

    bool is_on(std::size_t i) const { return byte(i / 8) >> (i % 8) & 1; }
    std::uint32_t on_count() const {
        std::uint32_t count = 0;
        for (std::size_t i = 0; i < kBits / 8; ++i)
            count += static_cast<std::uint32_t>(std::popcount(byte(i)));
        return count;
    }
    bool overlaps(const Mask& other) const {
        for (std::size_t i = 0; i < kBits / 8; ++i)
            if ((byte(i) & other.byte(i)) != 0) return true;
        return false;
    }

private:
    unsigned byte(std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }

    std::string_view bytes_;
};

// TreeCheck steps over a tree and holds it to what OpenVDB does with each byte of it.
class TreeCheck {
public:
    TreeCheck(ArchiveReader& reader, std::uint32_t compression, bool is_half)
        : reader_(reader), compression_(compression), value_bytes_(is_half ? 2 : 4) {}

    void check() {
        if (reader_.next<std::int32_t>("a tree") != 1) reader_.fail("the tree has several buffers");
        reader_.next<float>("a tree");  // the background
        const auto tile_count = reader_.next<std::uint32_t>("a tree");
        const auto child_count = reader_.next<std::uint32_t>("a tree");
        for (std::uint32_t i = 0; i < tile_count; ++i) {
            check_origin();
            reader_.next<float>("a tile");
            if (reader_.next<std::uint8_t>("a tile") > 1) reader_.fail("a tile is in no state");
        }
        for (std::uint32_t i = 0; i < child_count; ++i) {
            check_origin();
            check_inner<0>();
        }
        for (std::uint64_t i = 0; i < leaf_count_; ++i)
            check_values<3>(Mask<512>(reader_));
    }

private:
    // Nodes of the root lie beside each other, each at a place of its own.
    void check_origin() {
        std::int32_t place[3];
        for (std::int32_t& x : place) {
            x = reader_.next<std::int32_t>("a tree");
            if (x % kRootStep != 0) reader_.fail("a node lies between two places");
        }
        if (!places_.insert({place[0], place[1], place[2]}).second)
            reader_.fail("two nodes lie at the same place");
    }

    template <int level>
    void check_inner() {
        constexpr int kLog2 = kLevels[level];
        constexpr std::size_t kCount = std::size_t{1} << (3 * kLog2);
        const Mask<kCount> children(reader_), values(reader_);
        if (children.overlaps(values)) reader_.fail("a node has a value and a child at one place");
        check_values<kLog2>(values);
        const std::uint32_t count = children.on_count();
        for (std::uint32_t i = 0; i < count; ++i) {
            if constexpr (level == 0) {
                check_inner<1>();
            } else {
                Mask<512> active(reader_);
                ++leaf_count_;
            }
        }
    }

    // Values come with what tells inactive ones, and are compressed or not.
    template <int log2>
    void check_values(const Mask<std::size_t{1} << (3 * log2)>& active) {
        constexpr std::uint32_t kCount = 1u << (3 * log2);
        const auto kind = reader_.next<std::uint8_t>("the values of a node");
        if (kind > 6) reader_.fail("the values of a node are of no known kind");
        const bool has_one = kind == 2 || kind == 4, has_two = kind == 5;
        reader_.take(has_two ? 8 : has_one ? 4 : 0, "the values of a node");
        if (kind >= 3 && kind <= 5) reader_.take(kCount / 8, "the values of a node");
        const bool has_active_only = (compression_ & kActiveMask) != 0 && kind != 6;
        const std::uint32_t count = has_active_only ? active.on_count() : kCount;
        if (count == 0 && value_bytes_ == 2) return;  // then there is not even a length
        const std::uint64_t bytes = std::uint64_t{count} * value_bytes_;
        if ((compression_ & (kZip | kBlosc)) == 0) {
            reader_.take(bytes, "the values of a node");
            return;
        }
        const auto length = reader_.next<std::int64_t>("the values of a node");
        if (length <= 0) {
            // OpenVDB reads so many bytes before it compares.
            if (length != -static_cast<std::int64_t>(bytes))
                reader_.fail("the values of a node have another length than it says");
            reader_.take(bytes, "the values of a node");
            return;
        }
        const std::string_view stored =
            reader_.take(static_cast<std::uint64_t>(length), "the values of a node");
        if ((compression_ & kBlosc) != 0) check_blosc(stored, bytes);
    }

    // Blosc believes the lengths in its own header: of what comes out, and of what goes in.
    void check_blosc(std::string_view stored, std::uint64_t bytes) const {
        constexpr std::uint64_t kPadded = 128;  // OpenVDB fills up what is smaller
        constexpr std::size_t kHeaderBytes = 16;
        if (stored.size() < kHeaderBytes) reader_.fail("compressed values end early");
        const auto field = [&](std::size_t at) {
            return load<std::uint32_t, std::endian::little>(stored.data() + at);
        };
        const bool is_full = field(4) == bytes || (bytes < kPadded && field(4) == kPadded);
        if (!is_full || field(12) != stored.size())
            reader_.fail("compressed values have another length than they say");
    }

    ArchiveReader& reader_;
    std::uint32_t compression_;
    std::uint32_t value_bytes_;
    std::uint64_t leaf_count_ = 0;
    std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>> places_;
};

// A grid as it stands in the archive.
struct GridPart {
    std::string_view type;
    std::uint32_t compression = 0;
    std::string grid_class;
    std::vector<std::pair<const KeptMetadata*, std::string_view>> metadata;
    std::string_view transform_and_tree;
};

bool is_float_tree(std::string_view type) {
    return type == kFloatTree ||
           (type.starts_with(kFloatTree) && type.substr(kFloatTree.size()) == kHalfSuffix);
}

// Text of the file for a message of one line.
std::string printed(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
    return result;
}

// Returns "vec3s" for "Tree_vec3s_5_4_3".
std::string value_type_of(std::string_view type) {
    constexpr std::string_view kStart = "Tree_";
    if (type.starts_with(kStart)) type.remove_prefix(kStart.size());
    return printed(type.substr(0, type.find('_')));
}

// Steps over a list of metadata and keeps what is wanted of it.
void read_metadata(ArchiveReader& reader, GridPart* grid) {
    const auto count = reader.next<std::uint32_t>("metadata");
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view name = reader.text("metadata"), type = reader.text("metadata"),
                               value = reader.text("metadata");
        if (!grid) continue;
        for (const KeptMetadata& kept : kKept) {
            if (kept.name != name || kept.type != type) continue;
            if (kept.bytes != 0 && kept.bytes != value.size())
                reader.fail("the value of " + std::string(name) + " has another size");
            if (type == "bool" && static_cast<unsigned char>(value[0]) > 1)
                reader.fail(std::string(name) + " is neither true nor false");
            grid->metadata.emplace_back(&kept, value);
            if (name == "class") grid->grid_class = value;
        }
    }
}

void read_grid(ArchiveReader& reader, GridPart& grid) {
    grid.compression = reader.next<std::uint32_t>("a grid");
    if (grid.compression > (kZip | kActiveMask | kBlosc))
        reader.fail("the grid is compressed in an unknown way");
    read_metadata(reader, &grid);
    const std::size_t first = reader.offset();
    const std::string_view map = reader.text("a transform");
    const MapKind* known = nullptr;
    for (const MapKind& kind : kMaps)
        if (kind.type == map) known = &kind;
    if (!known) reader.fail("voxels must be cubes along the axes: resample the grid in OpenVDB");
    reader.take(known->bytes, "a transform");
    TreeCheck(reader, grid.compression, grid.type != kFloatTree).check();
    grid.transform_and_tree = reader.since(first);
}

void append_text(std::string& bytes, std::string_view text) {
    append_bytes(bytes, static_cast<std::uint32_t>(text.size()));
    bytes += text;
}

std::string archive_of(std::string_view header, const GridPart& grid) {
    std::string bytes(header);
    append_bytes(bytes, std::uint32_t{0});  // no metadata of the file
    append_bytes(bytes, std::int32_t{1});
    append_text(bytes, "surface");
    append_text(bytes, grid.type);
    append_text(bytes, "");  // it is no instance of another
    for (int i = 0; i < 3; ++i)
        append_bytes(bytes, std::int64_t{0});  // offsets, which a stream does without
    append_bytes(bytes, grid.compression);
    append_bytes(bytes, static_cast<std::uint32_t>(grid.metadata.size()));
    for (const auto& [kept, value] : grid.metadata) {
        append_text(bytes, kept->name);
        append_text(bytes, kept->type);
        append_text(bytes, value);
    }
    bytes += grid.transform_and_tree;
    return bytes;
}

// What an archive begins with.
struct ArchiveHeader {
    std::string bytes;  // as they are where there are no places of grids
    bool has_offsets;
    std::int32_t grid_count;
};

ArchiveHeader read_header(ArchiveReader& reader) {
    if (reader.next<std::uint64_t>("its first bytes") != kMagic)
        reader.fail("not a file of OpenVDB: it begins otherwise");
    const auto version = reader.next<std::uint32_t>("the header");
    if (version < kOldestVersion || version > kNewestVersion)
        reader.fail("version " + std::to_string(version) + " of the format; graze reads versions " +
                    std::to_string(kOldestVersion) + " to " + std::to_string(kNewestVersion) +
                    ": save it with another OpenVDB");
    reader.take(8, "the header");  // the version of the library
    const std::size_t flag = reader.offset();
    const bool has_offsets = reader.next<std::uint8_t>("the header") != 0;
    reader.take(kUuidBytes, "the header");
    std::string bytes(reader.since(0));
    bytes[flag] = 0;
    read_metadata(reader, nullptr);
    return {std::move(bytes), has_offsets, reader.next<std::int32_t>("the number of grids")};
}

// What comes before each grid.
struct GridHead {
    std::string name;
    std::string_view type;
    bool is_instance;
    std::int64_t end;
};

GridHead read_head(ArchiveReader& reader) {
    GridHead head;
    const std::string_view unique_name = reader.text("the name of a grid");
    // A number may follow the name, behind a separator.
    head.name = printed(unique_name.substr(0, unique_name.find('\x1e')));
    head.type = reader.text("the type of a grid");
    head.is_instance = !reader.text("the parent of a grid").empty();
    reader.take(16, "the place of a grid");
    head.end = reader.next<std::int64_t>("the place of a grid");
    return head;
}

}  // namespace

VdbGrids read_float_grids(std::string_view bytes, const std::string& name) {
    ArchiveReader reader(bytes, name);
    const ArchiveHeader header = read_header(reader);
    VdbGrids result;
    std::optional<GridPart> other;  // the first grid of floats that is no level set
    std::string other_name;
    // Why the first grid of floats, or level set, cannot be read.
    std::optional<Error> fault;
    bool has_faulty_level_set = false;
    for (std::int32_t i = 0; i < header.grid_count; ++i) {
        GridPart grid;
        const GridHead head = read_head(reader);
        grid.type = head.type;
        const std::string described = head.name + " (" + value_type_of(head.type) + ")";
        bool is_passed = false;
        if (is_float_tree(head.type) && !head.is_instance) {
            try {
                read_grid(reader, grid);
                is_passed = true;
            } catch (const Error& error) {
                const bool is_level_set = grid.grid_class == kLevelSet;
                if (!fault || (is_level_set && !has_faulty_level_set)) fault = error;
                has_faulty_level_set = has_faulty_level_set || is_level_set;
                result.left_out.push_back(described + ": " + error.what());
            }
        }
        if (is_passed && grid.grid_class == kLevelSet) {
            result.grids.push_back({head.name, archive_of(header.bytes, grid)});
        } else if (is_passed && !other) {
            other = std::move(grid);
            other_name = head.name;
        } else if (is_passed || !is_float_tree(head.type) || head.is_instance) {
            result.left_out.push_back(described);
        }
        if (header.has_offsets) {
            reader.go_to(head.end);
        } else if (!is_passed) {
            if (result.grids.empty()) {
                if (fault) throw *fault;
                reader.fail("the grid " + head.name +
                            " is not of floats, and nothing tells its length");
            }
            if (i + 1 < header.grid_count) result.left_out.push_back("what follows it");
            break;
        }
    }
    if (other && !result.grids.empty()) result.left_out.push_back(other_name + " (float)");
    if (!result.grids.empty()) return result;
    // A grid of another class does not stand for a level set.
    if (fault && (!other || has_faulty_level_set)) throw *fault;
    if (!other) {
        std::string names;
        for (const std::string& text : result.left_out)
            names += (names.empty() ? "" : ", ") + text;
        throw Error(name + ": there is no grid of floats; it holds " +
                    (names.empty() ? "none" : names));
    }
    result.grids.push_back({other_name, archive_of(header.bytes, *other)});
    return result;
}

std::string float_grid_archive(std::string_view bytes, const std::string& name) {
    return read_float_grids(bytes, name).grids.front().bytes;
}

}  // namespace graze::io
