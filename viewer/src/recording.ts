// A recording as bodies, meshes and frames (docs/formats/recording.md). Frames are decoded by groups, from a key frame
// to the next; the groups used last are kept.
import { ByteColumns } from "./byte_columns";
import { fileSource, type RawChunk, type RunSource } from "./run_source";

export interface MeshArrays {
    name: string;
    positions: Float32Array; // x, y, z of each vertex
    triangles: Uint32Array;
}
export interface BodyEntry {
    name: string;
    shape: number;
    motion: "dynamic" | "fixed" | "kinematic" | "cloth";
}
export interface Contacts {
    count: number;
    bodies: Uint32Array; // a and b of each
    positions: Float32Array; // [m]
    normals: Float32Array; // from b towards a; 0, 0, 0 where there is none
    distances: Float32Array; // [m], negative: penetration
    times: Float32Array; // 0 to 1 in the step
}
export interface Frame {
    time: number; // [s]
    isPresent: Uint8Array;
    isAsleep: Uint8Array;
    poses: Float32Array; // of each body: translation x, y, z, rotation w, x, y, z, scale
    contacts: Contacts;
    vertices: Float32Array[]; // of each body of cloth, in the world
}

const poseNumbers = 8;
const keptNumbers = 2 ** 26; // numbers of decoded frames that are kept, 256 MB

export class Recording {
    readonly frameCount: number;
    readonly clothBodies: number[];
    private readonly firsts: number[]; // the first frame of each group
    private readonly kept = new Map<number, Promise<Frame[]>>();
    private readonly keptLimit: number;

    private constructor(
        private readonly source: RunSource,
        readonly sceneName: string,
        readonly frameTime: number,
        readonly bodies: BodyEntry[],
        readonly meshes: MeshArrays[],
    ) {
        let frames = 0;
        this.firsts = source.frameCounts.map((count) => (frames += count) - count);
        this.frameCount = frames;
        this.clothBodies = bodies.flatMap((body, i) => (body.motion === "cloth" ? [i] : []));
        const clothNumbers = this.clothBodies.reduce((sum, i) => sum + meshes[bodies[i].shape].positions.length, 0);
        const groupNumbers = 64 * (bodies.length * poseNumbers + clothNumbers + 4096);
        this.keptLimit = Math.max(2, Math.floor(keptNumbers / groupNumbers));
    }
    get whyIncomplete(): string {
        return this.source.whyIncomplete;
    }

    static async open(from: RunSource | Uint8Array): Promise<Recording> {
        const source = from instanceof Uint8Array ? fileSource(from) : from;
        const head = await source.head();
        if (head[0]?.tag !== "SETU") throw new Error("this recording is cut off before its setup");
        const setup = JSON.parse(new TextDecoder().decode(head[0].bytes));
        const meshes = head
            .filter((chunk) => chunk.tag === "MESH")
            .map((chunk, i) => readMesh(setup.shapes[i]?.name ?? "", chunk.bytes));
        if (meshes.length !== setup.shapes.length) throw new Error("this recording is cut off before its last mesh");
        if (source.frameCounts.length === 0) throw new Error("this recording has no frame yet");
        return new Recording(source, setup.scene, setup.frame_time, setup.bodies, meshes);
    }

    async frame(index: number): Promise<Frame> {
        const group = this.groupOf(index);
        return (await this.decoded(group))[index - this.firsts[group]];
    }
    // The frames of the group that a frame is in, from one key frame to the next.
    async framesAround(index: number): Promise<{ first: number; frames: Frame[] }> {
        const group = this.groupOf(index);
        return { first: this.firsts[group], frames: await this.decoded(group) };
    }

    private groupOf(index: number): number {
        let low = 0;
        let high = this.firsts.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.firsts[middle] <= index) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    private decoded(group: number): Promise<Frame[]> {
        let frames = this.kept.get(group);
        if (frames) {
            this.kept.delete(group); // it becomes the one used last
        } else {
            frames = this.decode(group);
            // One that failed is asked for again.
            frames.catch(() => this.kept.delete(group));
            if (this.kept.size >= this.keptLimit) this.kept.delete(this.kept.keys().next().value as number);
        }
        this.kept.set(group, frames);
        return frames;
    }

    private async decode(group: number): Promise<Frame[]> {
        const chunks = await this.source.group(group);
        const poses = new LineDecoder(this.bodies.length * poseNumbers);
        const sizes = this.clothBodies.map((i) => this.meshes[this.bodies[i].shape].positions.length / 3);
        const cloth = sizes.map((size) => new LineDecoder(3 * size));
        const frames: Frame[] = [];
        let vertices: RawChunk | null = null;
        for (const chunk of chunks) {
            if (chunk.tag === "VERT") {
                vertices = chunk;
                continue;
            }
            const isKey = frames.length === 0;
            const positions = vertices ? readVertices(vertices.bytes, cloth, sizes, isKey) : [];
            const contacts = isKey ? noContacts : frames[frames.length - 1].contacts;
            frames.push(readFrame(chunk.bytes, this.bodies.length, poses, isKey, contacts, positions));
            vertices = null;
        }
        return frames;
    }
}

const noContacts: Contacts = {
    count: 0,
    bodies: new Uint32Array(0),
    positions: new Float32Array(0),
    normals: new Float32Array(0),
    distances: new Float32Array(0),
    times: new Float32Array(0),
};

function readMesh(name: string, raw: Uint8Array): MeshArrays {
    const columns = new ByteColumns(raw);
    const vertexCount = columns.u32();
    const triangleCount = columns.u32();
    const positions = new Float32Array(3 * vertexCount);
    const bits = new Int32Array(positions.buffer);
    for (let axis = 0; axis < 3; ++axis) {
        const numbers = columns.running(vertexCount);
        for (let i = 0; i < vertexCount; ++i) bits[3 * i + axis] = numbers[i];
    }
    const triangles = new Uint32Array(3 * triangleCount);
    for (let corner = 0; corner < 3; ++corner) {
        const numbers = columns.running(triangleCount);
        for (let i = 0; i < triangleCount; ++i) triangles[3 * i + corner] = numbers[i];
    }
    return { name, positions, triangles };
}

// Numbers that are told by their bits' difference from a straight line through the two frames before.
class LineDecoder {
    private last: Int32Array;
    private before: Int32Array;

    constructor(count: number) {
        this.last = new Int32Array(count);
        this.before = this.last;
    }
    // Entries of so many numbers; those that moved have differences, one column for each number, from columnBegin on.
    next(isKey: boolean, moved: ArrayLike<number>, columns: Int32Array[], columnBegin = 0): Float32Array {
        if (isKey) {
            this.last.fill(0);
            this.before = this.last;
        }
        const stride = columns.length;
        const now = this.last.slice();
        for (let k = 0; k < moved.length; ++k) {
            for (let c = 0; c < stride; ++c) {
                const i = moved[k] * stride + c;
                now[i] = (2 * this.last[i] - this.before[i] + columns[c][columnBegin + k]) | 0;
            }
        }
        this.before = isKey ? now : this.last;
        this.last = now;
        return new Float32Array(now.buffer);
    }
}

const indicesOf = (flags: Uint8Array): number[] => Array.from(flags.keys()).filter((i) => flags[i] !== 0);

function readVertices(raw: Uint8Array, cloth: LineDecoder[], sizes: number[], isKey: boolean): Float32Array[] {
    const reader = new ByteColumns(raw);
    const moved = reader.bits(cloth.length);
    const count = sizes.reduce((sum, size, i) => sum + (moved[i] ? size : 0), 0);
    const columns = [0, 1, 2].map(() => reader.column(count));
    let begin = 0;
    return cloth.map((decoder, i) => {
        const own = moved[i] ? Array.from({ length: sizes[i] }, (_, k) => k) : [];
        const positions = decoder.next(isKey, own, columns, begin);
        begin += own.length;
        return positions;
    });
}

function readFrame(
    raw: Uint8Array,
    bodyCount: number,
    poses: LineDecoder,
    isKey: boolean,
    contactsBefore: Contacts,
    vertices: Float32Array[],
): Frame {
    const reader = new ByteColumns(raw);
    const time = reader.f64();
    const isPresent = reader.bits(bodyCount);
    const isAsleep = reader.bits(bodyCount);
    const moved = indicesOf(reader.bits(bodyCount));
    const columns = Array.from({ length: poseNumbers }, () => reader.column(moved.length));
    const now = poses.next(isKey, moved, columns);
    const contacts = reader.u8() === 1 ? readContacts(reader) : contactsBefore;
    return { time, isPresent, isAsleep, poses: now, contacts, vertices };
}

function readContacts(reader: ByteColumns): Contacts {
    const count = reader.u32();
    const step = reader.f32();
    const [a, b, x, y, z, distance] = Array.from({ length: 6 }, () => reader.running(count));
    const [u, v, time] = Array.from({ length: 3 }, () => reader.running(count, 2));
    const contacts: Contacts = {
        count,
        bodies: new Uint32Array(2 * count),
        positions: new Float32Array(3 * count),
        normals: new Float32Array(3 * count),
        distances: new Float32Array(count),
        times: new Float32Array(count),
    };
    for (let i = 0; i < count; ++i) {
        contacts.bodies.set([a[i], b[i]], 2 * i);
        contacts.positions.set([x[i] * step, y[i] * step, z[i] * step], 3 * i);
        contacts.normals.set(unfoldNormal(u[i], v[i]), 3 * i);
        contacts.distances[i] = distance[i] * step;
        contacts.times[i] = (time[i] & 65535) / 65535;
    }
    return contacts;
}

// A normal on an octahedron that is unfolded onto a square.
export function unfoldNormal(u: number, v: number): [number, number, number] {
    if (u === -32768 && v === -32768) return [0, 0, 0];
    let x = u / 32767;
    let y = v / 32767;
    const z = 1 - Math.abs(x) - Math.abs(y);
    if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
    const length = Math.hypot(x, y, z);
    return [x / length, y / length, z / length];
}
