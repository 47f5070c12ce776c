// Where a recording comes from, as blocks: what the page carries (docs/formats/page_data.md), a server that has the
// rest (graze view --serve), or a file that was dropped on the page. A block has setup and meshes, or the frames from a
// key frame to the next.
import { type Chunk, crc32, inflate, inflateBytes, listChunks } from "./recording_file";

export interface RawChunk {
    tag: string;
    bytes: Uint8Array;
}
export interface RunSource {
    frameCounts: number[]; // of the groups
    whyIncomplete: string;
    head(): Promise<RawChunk[]>;
    group(index: number): Promise<RawChunk[]>;
}

// Stored bytes, raw bytes, checksum and frames of a block.
export type BlockEntry = [number, number, number, number];

function chunksOf(raw: Uint8Array): RawChunk[] {
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    const chunks: RawChunk[] = [];
    for (let at = 0; at < raw.length; ) {
        const size = at + 8 <= raw.length ? view.getUint32(at + 4, true) : Infinity;
        if (at + 8 + size > raw.length) throw new Error("a block of this run is cut off");
        const tag = String.fromCharCode(...raw.subarray(at, at + 4));
        chunks.push({ tag, bytes: raw.subarray(at + 8, at + 8 + size) });
        at += 8 + size;
    }
    return chunks;
}

export function bytesOfBase64(text: string): Uint8Array {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

// What a page carries: a line of base64 for each block.
export function carriedSource(text: string, blocks: BlockEntry[], whyIncomplete: string): RunSource {
    const lines = text.trim().split("\n");
    const isThere = ([stored]: BlockEntry, i: number) => lines[i]?.length === 4 * Math.ceil(stored / 3);
    const missing = blocks.findIndex((block, i) => !isThere(block, i));
    if (missing === 0) throw new Error("the page is cut off before its run; write it again");
    const there = missing < 0 ? blocks : blocks.slice(0, missing);
    const read = async (index: number) => {
        const [stored, raw, checksum] = there[index];
        let bytes: Uint8Array;
        try {
            bytes = bytesOfBase64(lines[index]);
        } catch {
            bytes = new Uint8Array(0);
        }
        if (bytes.length !== stored || crc32(bytes) !== checksum)
            throw new Error("what the page carries is altered; write the page again");
        return chunksOf(await inflateBytes(bytes, raw));
    };
    return {
        frameCounts: there.slice(1).map((block) => block[3]),
        whyIncomplete: missing < 0 ? whyIncomplete : "the page is cut off",
        head: () => read(0),
        group: (index) => read(index + 1),
    };
}

// Frame counts of the blocks that a server has; the first is that of setup and meshes.
export function servedSource(counts: number[], whyIncomplete: string): RunSource {
    const read = async (index: number) => {
        const answer = await fetch(`block/${index}`).catch(() => null);
        if (!answer?.ok) throw new Error("graze view does not answer any more; start it again");
        return chunksOf(await inflateBytes(new Uint8Array(await answer.arrayBuffer())));
    };
    return { frameCounts: counts.slice(1), whyIncomplete, head: () => read(0), group: (index) => read(index + 1) };
}

// A whole file, .grec.
export function fileSource(file: Uint8Array): RunSource {
    const { chunks, whyIncomplete } = listChunks(file);
    const head: Chunk[] = [];
    const groups: Chunk[][] = [];
    let vertices: Chunk[] = [];
    for (const chunk of chunks) {
        if (chunk.tag === "VERT") {
            vertices = [chunk];
        } else if (chunk.tag === "KEYF" || chunk.tag === "DELT") {
            if (chunk.tag === "KEYF") groups.push([]);
            if (groups.length === 0) throw new Error("the first frame of this recording is no key frame");
            groups[groups.length - 1].push(...vertices, chunk);
            vertices = [];
        } else {
            head.push(chunk);
        }
    }
    const read = (list: Chunk[]) =>
        Promise.all(list.map(async (chunk) => ({ tag: chunk.tag, bytes: await inflate(file, chunk) })));
    return {
        frameCounts: groups.map((group) => group.filter((chunk) => chunk.tag !== "VERT").length),
        whyIncomplete,
        head: () => read(head),
        group: (index) => read(groups[index]),
    };
}
