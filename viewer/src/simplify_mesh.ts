// Meshes with fewer triangles, where all instances together would be more than the browser draws: vertices in one cell of
// a grid become one, in their middle, and triangles without area are left out.
import type { MeshArrays } from "./recording";

export interface Detail {
    meshes: MeshArrays[]; // to draw
    full: number; // triangles of all bodies
    drawn: number;
}

const fewest = 40; // fewer triangles do not look like the body any more

function clustered(mesh: MeshArrays, cells: number): MeshArrays {
    const { positions, triangles } = mesh;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < positions.length; ++i) {
        low[i % 3] = Math.min(low[i % 3], positions[i]);
        high[i % 3] = Math.max(high[i % 3], positions[i]);
    }
    const cell = Math.max(...high.map((h, c) => h - low[c]), 1e-30) / cells;
    const clusters = new Map<number, number>();
    const own = new Uint32Array(positions.length / 3);
    const sums: number[] = [];
    for (let i = 0; i < own.length; ++i) {
        const at = [0, 1, 2].map((c) => Math.min(cells - 1, Math.floor((positions[3 * i + c] - low[c]) / cell)));
        const key = (at[2] * cells + at[1]) * cells + at[0];
        let cluster = clusters.get(key);
        if (cluster === undefined) {
            clusters.set(key, (cluster = clusters.size));
            sums.push(0, 0, 0, 0);
        }
        for (let c = 0; c < 3; ++c) sums[4 * cluster + c] += positions[3 * i + c];
        ++sums[4 * cluster + 3];
        own[i] = cluster;
    }
    const moved = new Float32Array(3 * clusters.size).map((_, i) => sums[4 * Math.floor(i / 3) + (i % 3)] / sums[4 * Math.floor(i / 3) + 3]);
    const seen = new Set<string>();
    const kept: number[] = [];
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [own[triangles[t]], own[triangles[t + 1]], own[triangles[t + 2]]];
        if (a === b || b === c || c === a) continue;
        // The same triangle once: from its lowest vertex on.
        const name = a < b && a < c ? `${a} ${b} ${c}` : b < c ? `${b} ${c} ${a}` : `${c} ${a} ${b}`;
        if (seen.has(name)) continue;
        seen.add(name);
        kept.push(a, b, c);
    }
    return { name: mesh.name, positions: moved, triangles: Uint32Array.from(kept) };
}

// At most so many triangles, or a little more where that leaves nothing.
export function simplified(mesh: MeshArrays, target: number): MeshArrays {
    if (mesh.triangles.length / 3 <= target) return mesh;
    let best = clustered(mesh, 3);
    let low = 3;
    let high = Math.max(4, Math.ceil(Math.sqrt(target)));
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        const found = clustered(mesh, middle);
        if (found.triangles.length / 3 <= target) {
            best = found;
            low = middle;
        } else {
            high = middle;
        }
    }
    return best;
}

// counts: how many bodies draw each mesh; budget: triangles of all. A mesh that many bodies have gives up more.
export function chooseDetail(meshes: MeshArrays[], counts: number[], budget: number): Detail {
    const sizes = meshes.map((mesh) => mesh.triangles.length / 3);
    const full = sizes.reduce((sum, size, i) => sum + counts[i] * size, 0);
    if (full <= budget) return { meshes, full, drawn: full };
    const most = (shape: number, scale: number) => Math.max(fewest, scale / Math.sqrt(Math.max(counts[shape], 1)));
    const total = (scale: number) => sizes.reduce((sum, size, i) => sum + counts[i] * Math.min(size, most(i, scale)), 0);
    let [low, high] = [0, full];
    for (let round = 0; round < 40; ++round) {
        const middle = (low + high) / 2;
        if (total(middle) <= budget) low = middle;
        else high = middle;
    }
    const drawn = meshes.map((mesh, i) => (counts[i] > 0 ? simplified(mesh, most(i, low)) : mesh));
    return { meshes: drawn, full, drawn: drawn.reduce((sum, mesh, i) => sum + (counts[i] * mesh.triangles.length) / 3, 0) };
}
