// CellLoops: where the surface crosses the faces of a cell, as closed loops over its edges.
//
// This is the idea of marching cubes (Lorensen and Cline, 1987) without its table. On each face,
// seen from outside the cell and gone around counter-clockwise, the surface goes from an edge where
// the corners change from outside to inside to one where they change back, so every crossed edge
// has one successor, and following them gives loops. On a face with two opposite corners inside the
// edges pair up in either of two manners; the value in the middle of the face decides, as both
// cells at the face know it (after Nielson and Hamann, "The Asymptotic Decider", 1991). So the
// loops of all cells fit together: every side of a loop is a side of exactly one other, run in the
// opposite direction.
#pragma once

#include <cstdint>

namespace graze {

// The index of a corner has a bit for each axis: x, y, z. Edge 4 a + b + 2 c runs along axis a, at
// b and c along the next two axes in cyclic order.
constexpr int kCellEdgeCount = 12;

constexpr int cell_edge_axis(int edge) {
    return edge / 4;
}
// The corner at the lower end of an edge.
constexpr int cell_edge_corner(int edge) {
    const int a = edge / 4;
    return (edge & 1) << (a + 1) % 3 | (edge >> 1 & 1) << (a + 2) % 3;
}
constexpr int cell_edge_between(int corner, int other) {
    const int difference = corner ^ other;
    const int a = difference == 1 ? 0 : (difference == 2 ? 1 : 2);
    return 4 * a + (corner >> (a + 1) % 3 & 1) + 2 * (corner >> (a + 2) % 3 & 1);
}
// The corners of face 2 a + side, counter-clockwise seen from outside the cell.
constexpr int cell_face_corner(int face, int n) {
    const int a = face / 2, u = (a + 1) % 3, v = (a + 2) % 3;
    const int around = face & 1 ? n : 3 - n;
    const int b = around == 1 || around == 2 ? 1 : 0, c = around >> 1;
    return (face & 1) << a | b << u | c << v;
}

struct CellLoops {
    int edges[kCellEdgeCount];  // of all loops, one after the other
    int faces[kCellEdgeCount];  // the face on which the loop goes from each edge to the next
    int begin[5];               // offset of each loop in edges, and the end of the last
    int loop_count = 0;
    unsigned ambiguous = 0;  // a bit for each face whose edges pair up in either of two manners
    unsigned doubled = 0;    // a bit for each loop that goes through one face twice
};

// Bit n of inside is set where corner n is inside. is_joined(face) says whether the two corners
// inside are connected across the face; it is asked where two opposite corners are inside.
template <class IsJoined>
CellLoops trace_loops(std::uint8_t inside, const IsJoined& is_joined) {
    CellLoops loops;
    int next[kCellEdgeCount], face_of[kCellEdgeCount];
    for (int& edge : next)
        edge = -1;
    for (int face = 0; face < 6; ++face) {
        bool in[4];
        int crossed_count = 0, crossed[4];
        for (int n = 0; n < 4; ++n)
            in[n] = inside >> cell_face_corner(face, n) & 1;
        for (int n = 0; n < 4; ++n) {
            if (in[n] != in[(n + 1) % 4]) crossed[crossed_count++] = n;
        }
        const auto edge_at = [&](int n) {
            return cell_edge_between(cell_face_corner(face, n),
                                     cell_face_corner(face, (n + 1) % 4));
        };
        // The loop goes from a change into the solid to the next change out of it, or to the one
        // before.
        const int step = crossed_count == 4 && is_joined(face) ? crossed_count - 1 : 1;
        if (crossed_count == 4) loops.ambiguous |= 1u << face;
        for (int m = 0; m < crossed_count; ++m) {
            if (in[crossed[m]]) continue;
            const int from = edge_at(crossed[m]);
            next[from] = edge_at(crossed[(m + step) % crossed_count]);
            face_of[from] = face;
        }
    }

    int count = 0;
    loops.begin[0] = 0;
    for (int start = 0; start < kCellEdgeCount; ++start) {
        if (next[start] < 0) continue;
        unsigned faces = 0;
        for (int edge = start; next[edge] >= 0;) {
            loops.edges[count] = edge;
            loops.faces[count++] = face_of[edge];
            const unsigned face = 1u << face_of[edge];
            if (faces & face) loops.doubled |= 1u << loops.loop_count;
            faces |= face;
            const int after = next[edge];
            next[edge] = -1;
            edge = after;
        }
        loops.begin[++loops.loop_count] = count;
    }
    return loops;
}

}  // namespace graze
