// A recording as a file: its chunks, found by their heads and checked by their checksums, which are chained. A
// recording ends before the first chunk that is cut off or altered, and says so.

export interface Chunk {
    tag: string;
    offset: number; // of its deflate stream, in the file
    stored: number; // bytes of that stream
    raw: number; // bytes that it stands for
}

export interface ChunkList {
    chunks: Chunk[];
    whyIncomplete: string; // empty where all is there
}

const crcTable = new Uint32Array(256).map((_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; ++bit) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
});
export function crc32(bytes: Uint8Array, start = 0): number {
    let value = ~start;
    for (let i = 0; i < bytes.length; ++i) value = (value >>> 8) ^ crcTable[(value ^ bytes[i]) & 255];
    return ~value >>> 0;
}

const headBytes = 16;
const largestRaw = 2 ** 30;
const fileMark = [0x89, 0x47, 0x52, 0x43, 0x0d, 0x0a, 0x1a, 0x0a];

export function listChunks(file: Uint8Array): ChunkList {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    if (file.length < headBytes || fileMark.some((byte, i) => file[i] !== byte))
        throw new Error("this is no recording of graze: it does not begin as a .grec does");
    const version = view.getUint32(8, true);
    if (version !== 1 && version !== 2)
        throw new Error(`this recording has version ${version}; this page knows versions 1 and 2`);
    let checksum = crc32(file.subarray(0, 12));
    if (view.getUint32(12, true) !== checksum) throw new Error("the head of this recording is altered");

    const chunks: Chunk[] = [];
    let at = headBytes;
    for (;;) {
        if (at === file.length) break;
        if (at + headBytes > file.length) return { chunks, whyIncomplete: "its last chunk is cut off" };
        const tag = String.fromCharCode(...file.subarray(at, at + 4));
        const stored = view.getUint32(at + 4, true);
        const raw = view.getUint32(at + 8, true);
        if (at + headBytes + stored > file.length) return { chunks, whyIncomplete: "its last chunk is cut off" };
        checksum = crc32(file.subarray(at, at + 12), checksum);
        checksum = crc32(file.subarray(at + headBytes, at + headBytes + stored), checksum);
        if (view.getUint32(at + 12, true) !== checksum || raw > Math.min(largestRaw, 1032 * stored))
            return { chunks, whyIncomplete: `it is altered at byte ${at}` };
        chunks.push({ tag, offset: at + headBytes, stored, raw });
        at += headBytes + stored;
    }
    const isComplete = chunks.length > 0 && chunks[chunks.length - 1].tag === "ENDR";
    return { chunks, whyIncomplete: isComplete ? "" : "it has no end mark: the run was ended early, or still goes on" };
}

// Inflates a chunk with the browser's own decompressor.
export function inflate(file: Uint8Array, chunk: Chunk): Promise<Uint8Array> {
    return inflateBytes(file.subarray(chunk.offset, chunk.offset + chunk.stored), chunk.raw);
}
// A raw deflate stream; raw: how many bytes it stands for, where that is known.
export async function inflateBytes(stored: Uint8Array, raw?: number): Promise<Uint8Array> {
    const stream = new Blob([stored as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    if (raw !== undefined && bytes.length !== raw) throw new Error(`a chunk holds ${bytes.length} bytes instead of ${raw}`);
    return bytes;
}
