// The boxes of bodies in a frame, and which of them touch: what a broad phase looks for. They are those of the meshes,
// placed as the library does it.
import type { Frame, Recording } from "./recording";

// Six numbers a body: min x, y, z, max x, y, z [m]; NaN where the body is not there.
export type Boxes = Float32Array;

export function meshBox(positions: Float32Array): Float32Array {
    const box = Float32Array.of(Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity);
    for (let i = 0; i < positions.length; i += 3) {
        for (let c = 0; c < 3; ++c) {
            box[c] = Math.min(box[c], positions[i + c]);
            box[3 + c] = Math.max(box[3 + c], positions[i + c]);
        }
    }
    return box;
}

export function rotate(q: ArrayLike<number>, at: number, v: readonly number[]): [number, number, number] {
    const [w, x, y, z] = [q[at], q[at + 1], q[at + 2], q[at + 3]];
    const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [
        v[0] + w * t[0] + y * t[2] - z * t[1],
        v[1] + w * t[1] + z * t[0] - x * t[2],
        v[2] + w * t[2] + x * t[1] - y * t[0],
    ];
}

export class BoxFinder {
    private readonly meshBoxes: Float32Array[];
    constructor(private readonly recording: Recording) {
        this.meshBoxes = recording.meshes.map((mesh) => meshBox(mesh.positions));
    }

    boxes(frame: Frame): Boxes {
        const boxes = new Float32Array(6 * this.recording.bodies.length).fill(NaN);
        for (const [i, body] of this.recording.bodies.entries()) {
            if (!frame.isPresent[i]) continue;
            const cloth = this.recording.clothBodies.indexOf(i);
            if (cloth >= 0) boxes.set(meshBox(frame.vertices[cloth]), 6 * i);
            else this.place(this.meshBoxes[body.shape], frame.poses.subarray(8 * i, 8 * i + 8), boxes.subarray(6 * i, 6 * i + 6));
        }
        return boxes;
    }
    private place(own: Float32Array, pose: Float32Array, box: Float32Array): void {
        const middle = rotate(pose, 3, [0, 1, 2].map((c) => (pose[7] * (own[c] + own[3 + c])) / 2));
        const columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => rotate(pose, 3, axis));
        for (let c = 0; c < 3; ++c) {
            let reach = 0;
            for (let axis = 0; axis < 3; ++axis)
                reach += Math.abs(columns[axis][c]) * pose[7] * ((own[3 + axis] - own[axis]) / 2);
            box[c] = pose[c] + middle[c] - reach;
            box[3 + c] = pose[c] + middle[c] + reach;
        }
    }
}

// Bodies whose boxes touch, a < b, each pair once; two that are fixed are none.
export function touchingPairs(boxes: Boxes, isFixed: (body: number) => boolean): [number, number][] {
    const order = Array.from({ length: boxes.length / 6 }, (_, i) => i)
        .filter((i) => !Number.isNaN(boxes[6 * i]))
        .sort((a, b) => boxes[6 * a] - boxes[6 * b]);
    const pairs: [number, number][] = [];
    for (let i = 0; i < order.length; ++i) {
        const a = order[i];
        for (let k = i + 1; k < order.length && boxes[6 * order[k]] <= boxes[6 * a + 3]; ++k) {
            const b = order[k];
            const isApart = (c: number) => boxes[6 * a + c] > boxes[6 * b + 3 + c] || boxes[6 * b + c] > boxes[6 * a + 3 + c];
            if (isApart(1) || isApart(2) || (isFixed(a) && isFixed(b))) continue;
            pairs.push(a < b ? [a, b] : [b, a]);
        }
    }
    return pairs;
}
