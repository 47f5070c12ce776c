// Compares what the page reads of recordings with what the reader in docs/formats/recording.md reads, number by number.
//   node viewer/test/decode.mjs ROOM RECORDING...     ROOM: where scripts/page keeps its packages
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [room, ...files] = process.argv.slice(2);
const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "graze-page-"));
const load = (path) => import(pathToFileURL(path).href);

const { build } = await load(join(resolve(room), "node_modules/esbuild/lib/main.js"));
const bundle = join(scratch, "recording.mjs");
await build({ entryPoints: [join(root, "viewer/src/recording.ts")], bundle: true, format: "esm", outfile: bundle });
const { Recording } = await load(bundle);

const page = readFileSync(join(root, "docs/formats/recording.md"), "utf8");
const reader = join(scratch, "reader.py");
writeFileSync(reader, page.split("```python\n")[1].split("```")[0]);

let failures = 0;
function expect(condition, text) {
    if (condition) return;
    ++failures;
    if (failures < 20) console.error(`FAILED: ${text}`);
}

async function linesOf(file) {
    const recording = await Recording.open(new Uint8Array(readFileSync(file)));
    const lines = [];
    for (let index = 0; index < recording.frameCount; ++index) {
        const frame = await recording.frame(index);
        for (let body = 0; body < recording.bodies.length; ++body) {
            if (!frame.isPresent[body]) continue;
            lines.push(["pose", index, frame.time, body, frame.isAsleep[body], ...frame.poses.subarray(8 * body, 8 * body + 8)]);
        }
        const { contacts } = frame;
        for (let i = 0; i < contacts.count; ++i) {
            const of = (array, size) => array.subarray(size * i, size * i + size);
            lines.push(["contact", index, ...of(contacts.bodies, 2), ...of(contacts.positions, 3), contacts.distances[i], ...of(contacts.normals, 3)]);
        }
        for (const [i, body] of recording.clothBodies.entries()) {
            const vertices = frame.vertices[i];
            for (let v = 0; v < vertices.length; v += 3) lines.push(["vertex", index, body, ...vertices.subarray(v, v + 3)]);
        }
    }
    return { lines, recording };
}

for (const file of files) {
    const expected = execFileSync("python3", [reader, file], { maxBuffer: 2 ** 30, encoding: "utf8" }).trim().split("\n");
    const { lines, recording } = await linesOf(file);
    expect(lines.length === expected.length, `${file}: ${lines.length} lines instead of ${expected.length}`);
    let numbers = 0;
    for (let i = 0; i < Math.min(lines.length, expected.length); ++i) {
        const [kind, ...values] = expected[i].split(" ");
        expect(lines[i][0] === kind, `${file}: line ${i} is ${lines[i][0]} instead of ${kind}`);
        for (let k = 0; k < values.length; ++k) {
            const [found, wanted] = [lines[i][k + 1], Number(values[k])];
            ++numbers;
            // Contacts are products in double precision there and in single precision here.
            const isSame = kind === "contact" ? Math.fround(wanted) === found || wanted === found : wanted === found;
            expect(isSame, `${file}: line ${i}, ${kind}, number ${k}: ${found} instead of ${wanted}`);
        }
    }
    // From the last frame to the first, and from a copy whose groups are not kept, it is the same.
    const last = await recording.frame(recording.frameCount - 1);
    const again = (await Recording.open(new Uint8Array(readFileSync(file)))).frame(recording.frameCount - 1);
    expect((await again).poses.every((value, i) => value === last.poses[i]), `${file}: the last frame by itself differs`);
    console.log(`${file}: ${recording.frameCount} frames, ${numbers} numbers compared`);
}

// Files that are cut off or altered end early with a reason, or are refused with one.
const whole = new Uint8Array(readFileSync(files[0]));
const full = await Recording.open(whole);
for (let i = 1; i < 40; ++i) {
    const length = Math.floor((whole.length * i) / 40);
    const altered = whole.slice();
    altered[length] ^= 1 << (i % 8);
    for (const bytes of [whole.subarray(0, length), altered]) {
        try {
            const part = await Recording.open(bytes);
            expect(part.whyIncomplete !== "", `damaged at byte ${length}, and said to be whole`);
            expect(part.frameCount <= full.frameCount, `damaged at byte ${length}, and has more frames`);
            await part.frame(part.frameCount - 1);
        } catch (error) {
            expect(/recording|chunk/.test(error.message), `damaged at byte ${length}: ${error.message}`);
        }
    }
}
for (const [bytes, words] of [[new Uint8Array(0), "no recording"], [new Uint8Array(100), "no recording"]]) {
    await Recording.open(bytes).then(
        () => expect(false, "a file of zeros is a recording"),
        (error) => expect(error.message.includes(words), error.message),
    );
}
if (failures > 0) {
    console.error(`decode: ${failures} failures`);
    process.exit(1);
}
