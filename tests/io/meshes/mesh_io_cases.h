// What the tests of the mesh readers share: a sample mesh, a writer into memory, tables of
// malformed files.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "graze/error.h"
#include "graze/mesh_io.h"
#include "io/meshes/mesh_writers.h"
#include "tests/error_of.h"
#include "tests/io/string_sink.h"

namespace graze::testing {

// A file that must be refused, and two pieces of the message.
struct MalformedCase {
    std::string what;      // for the reader of a failed test
    std::string bytes;     // the file
    std::string location;  // ":3:" or "byte 42:"
    std::string cause;
};

// Returns the message of the Error that reading throws; it is empty where there is none.
inline std::string read_error(std::string_view bytes, MeshFormat format) {
    return error_of([&] { read_mesh(bytes, format, "file"); });
}

inline void expect_refused(const std::vector<MalformedCase>& cases, MeshFormat format) {
    for (const MalformedCase& c : cases) {
        const std::string message = read_error(c.bytes, format);
        EXPECT_TRUE(message.starts_with("file:")) << c.what << ": " << message;
        EXPECT_NE(message.find(c.location), std::string::npos) << c.what << ": " << message;
        EXPECT_NE(message.find(c.cause), std::string::npos) << c.what << ": " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << c.what << ": " << message;
    }
}

// Every beginning of the file is a valid mesh or an Error, in both precisions.
inline void expect_truncations_safe(std::string_view bytes, MeshFormat format) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        // A copy of exactly this size lets the address sanitizer see reads beyond it.
        const std::vector<char> copy(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(size));
        const std::string_view beginning(copy.data(), copy.size());
        try {
            validate(read_mesh(beginning, format, "file"));
            validate(read_mesh_double(beginning, format, "file"));
        } catch (const Error& error) {
            EXPECT_TRUE(std::string(error.what()).starts_with("file:")) << error.what();
        }
    }
}

template <class T>
std::string to_bytes(const MeshT<T>& mesh, MeshFormat format,
                     MeshEncoding encoding = MeshEncoding::ascii) {
    StringSink sink;
    io::write_mesh(mesh, format, encoding, "memory", sink);
    return sink.content;
}

// Returns four triangles whose vertices appear in order and whose coordinates need every digit.
template <class T>
MeshT<T> tetrahedron() {
    const T third = T(1) / T(3);
    return {{{T(0), third, T(1e-30)},
             {T(1), T(-0.1), third},
             {third, T(1e30), T(2)},
             {T(-5), T(7), T(11)}},
            {{{0, 1, 2}}, {{0, 3, 1}}, {{1, 3, 2}}, {{2, 3, 0}}}};
}

}  // namespace graze::testing
