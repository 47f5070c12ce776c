// Reads the parts of a chunk of a recording (docs/formats/recording.md): numbers, bits, and columns of differences that
// are stored as planes of bytes.

export class ByteColumns {
    private readonly view: DataView;
    private at = 0;

    constructor(private readonly bytes: Uint8Array) {
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }

    private take(count: number): number {
        const begin = this.at;
        if (count < 0 || begin + count > this.bytes.length) throw new Error("a chunk is shorter than what it lists");
        this.at += count;
        return begin;
    }
    u8(): number {
        return this.bytes[this.take(1)];
    }
    u32(): number {
        return this.view.getUint32(this.take(4), true);
    }
    f32(): number {
        return this.view.getFloat32(this.take(4), true);
    }
    f64(): number {
        return this.view.getFloat64(this.take(8), true);
    }

    // One byte, 0 or 1, for each of so many bits.
    bits(count: number): Uint8Array {
        const begin = this.take((count + 7) >> 3);
        const found = new Uint8Array(count);
        for (let i = 0; i < count; ++i) found[i] = (this.bytes[begin + (i >> 3)] >> (i & 7)) & 1;
        return found;
    }

    // Differences, unfolded: 0, 1, 2, 3 ... stand for 0, -1, 1, -2 ...
    column(count: number, width: 2 | 4 = 4): Int32Array {
        const begin = this.take(count * width);
        const numbers = new Int32Array(count);
        for (let plane = 0; plane < width; ++plane) {
            const from = begin + plane * count;
            for (let i = 0; i < count; ++i) numbers[i] |= this.bytes[from + i] << (8 * plane);
        }
        for (let i = 0; i < count; ++i) numbers[i] = (numbers[i] >>> 1) ^ -(numbers[i] & 1);
        return numbers;
    }

    // The numbers whose differences a column is, modulo 2^32 or 2^16.
    running(count: number, width: 2 | 4 = 4): Int32Array {
        const numbers = this.column(count, width);
        let last = 0;
        for (let i = 0; i < count; ++i) {
            last = (last + numbers[i]) | 0;
            numbers[i] = width === 2 ? (last << 16) >> 16 : last;
        }
        return numbers;
    }
}
