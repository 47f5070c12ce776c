// Tests parts of the page by themselves: slices through fields, pairs of boxes, meshes with less detail, the player, and
// pages' blocks.
//   node viewer/test/units.mjs ROOM      ROOM: where scripts/page keeps its packages
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32, deflateRawSync } from "node:zlib";

const room = resolve(process.argv[2]);
const root = resolve(new URL(".", import.meta.url).pathname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "graze-units-"));
const load = (path) => import(pathToFileURL(path).href);
const { build } = await load(join(room, "node_modules/esbuild/lib/main.js"));
const names = ["field_slice", "body_boxes", "simplify_mesh", "player", "run_source", "depth_colours", "lengths"];
const entry = join(scratch, "all.ts");
writeFileSync(entry, names.map((name) => `export * as ${name} from ${JSON.stringify(join(root, "viewer/src", `${name}.ts`))};`).join("\n"));
const bundle = join(scratch, "all.mjs");
await build({ entryPoints: [entry], bundle: true, format: "esm", outfile: bundle, nodePaths: [join(room, "node_modules")], logLevel: "error" });
const { field_slice, body_boxes, simplify_mesh, player, run_source, depth_colours, lengths } = await load(bundle);

let failures = 0;
function expect(condition, text) {
    if (condition) return;
    ++failures;
    console.error(`FAILED: ${text}`);
}
let seed = 1;
const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
};
const turn = () => {
    const q = Array.from({ length: 4 }, () => random() - 0.5);
    return q.map((x) => x / Math.hypot(...q));
};

// A slice through turned balls: the nearest one, and the overlap of two. Samples of a ball are exact, what is between them
// is off by less than the square of their spacing over the radius.
const n = 41;
const values = new Float32Array(n ** 3);
for (let i = 0; i < values.length; ++i) {
    const p = [i % n, Math.floor(i / n) % n, Math.floor(i / n / n)].map((k) => k * 0.1 - 2);
    values[i] = Math.hypot(...p) - 1;
}
const ball = { origin: [-2, -2, -2], spacing: 0.1, size: [n, n, n], values };
const poses = new Float32Array(24);
const centres = [[0, 0, 0], [1.1, 0.2, 0.1], [-0.5, 1, 0]];
const scales = [1, 0.5, 1.5];
for (const i of [0, 1, 2]) poses.set([...centres[i], ...turn(), scales[i]], 8 * i);
const frame = { isPresent: [1, 1, 1], poses };
const recording = { bodies: [0, 1, 2].map(() => ({ shape: 0, motion: "dynamic" })) };
for (const axis of [0, 1, 2]) {
    const plane = { axis, at: axis === 0 ? 0.5 : 0.1, low: [-3, -3], high: [3, 3] };
    const count = 48;
    const [u, v] = [0, 1, 2].filter((c) => c !== axis);
    for (const mode of ["bodies", "overlap"]) {
        const found = field_slice.sliceValues(recording, frame, [ball], plane, count, mode);
        let [worst, known, wrong] = [0, 0, 0];
        for (let k = 0; k < found.length; ++k) {
            const p = [0, 0, 0];
            p[axis] = plane.at;
            p[u] = -3 + (((k % count) + 0.5) * 6) / count;
            p[v] = -3 + ((Math.floor(k / count) + 0.5) * 6) / count;
            // Out to a radius of 2 of the ball's own the samples tell, whichever way it is turned.
            const away = centres.map((centre, i) => Math.hypot(...centre.map((c, m) => p[m] - c)) - scales[i]);
            const all = centres.every((_, i) => (away[i] + scales[i]) / scales[i] < 1.95);
            if (!all) continue;
            ++known;
            const sorted = [...away].sort((a, b) => a - b);
            if (Number.isNaN(found[k])) ++wrong;
            worst = Math.max(worst, Math.abs(found[k] - sorted[mode === "bodies" ? 0 : 1]));
        }
        expect(known > 30 && wrong === 0 && worst < 0.03, `slice across ${axis}, ${mode}: off by ${worst}, ${wrong} of ${known} unknown`);
    }
}
expect(Number.isNaN(field_slice.sample(ball, 2.1, 0, 0)), "there is nothing beyond the samples");

// Pairs: the same as by asking all of them.
for (let round = 0; round < 20; ++round) {
    const count = 2 + Math.floor(60 * random());
    const boxes = new Float32Array(6 * count);
    for (let i = 0; i < count; ++i) {
        const low = [random(), random(), random()].map((x) => Math.round(8 * x) / 4); // touching ones, too
        boxes.set([...low, ...low.map((x) => x + Math.round(3 * random()) / 4)], 6 * i);
        if (random() < 0.1) boxes.fill(NaN, 6 * i, 6 * i + 6);
    }
    const isFixed = (i) => i % 5 === 0;
    const wanted = [];
    for (let a = 0; a < count; ++a)
        for (let b = a + 1; b < count; ++b)
            if (!(isFixed(a) && isFixed(b)) && [0, 1, 2].every((c) => boxes[6 * a + c] <= boxes[6 * b + 3 + c] && boxes[6 * b + c] <= boxes[6 * a + 3 + c]))
                wanted.push(`${a}-${b}`);
    const found = body_boxes.touchingPairs(boxes, isFixed).map(([a, b]) => `${a}-${b}`);
    expect(found.length === new Set(found).size && found.sort().join() === wanted.sort().join(), `pairs of ${count} boxes`);
}

// Less detail: within the budget, near the surface, and every triangle once.
const sphere = { name: "ball", positions: [], triangles: [] };
const [rings, sides] = [60, 120];
for (let i = 0; i <= rings; ++i)
    for (let k = 0; k < sides; ++k) {
        const [a, b] = [(Math.PI * i) / rings, (2 * Math.PI * k) / sides];
        sphere.positions.push(Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a));
        const next = (k + 1) % sides;
        if (i < rings) sphere.triangles.push(i * sides + k, (i + 1) * sides + k, i * sides + next, i * sides + next, (i + 1) * sides + k, (i + 1) * sides + next);
    }
sphere.positions = Float32Array.from(sphere.positions);
sphere.triangles = Uint32Array.from(sphere.triangles);
for (const target of [60, 300, 2000]) {
    const less = simplify_mesh.simplified(sphere, target);
    const count = less.triangles.length / 3;
    const radii = Array.from({ length: less.positions.length / 3 }, (_, i) => Math.hypot(...less.positions.subarray(3 * i, 3 * i + 3)));
    expect(count <= target && count > target / 8, `${count} triangles where ${target} are wanted`);
    expect(Math.min(...radii) > 0.5 && Math.max(...radii) <= 1 + 1e-6, `a ball of ${target} triangles keeps its surface: ${Math.min(...radii)}`);
    expect(less.triangles.every((v) => v < less.positions.length / 3), "triangles name vertices that are there");
}
const small = { ...sphere, triangles: sphere.triangles.slice(0, 30) };
const detail = simplify_mesh.chooseDetail([sphere, sphere, small], [1000, 1, 5], 90000);
expect(detail.drawn <= 90000 && detail.full === 1001 * (sphere.triangles.length / 3) + 50, `detail: ${detail.drawn} of ${detail.full}`);
expect(detail.meshes[1].triangles.length > 2 * detail.meshes[0].triangles.length, "what is there once keeps more than what is there often");
expect(detail.meshes[2] === small, "a small mesh stays as it is");
expect(simplify_mesh.chooseDetail([sphere], [2], 1e6).meshes[0] === sphere, "nothing is left out without need");

// The player.
const times = [0, 0.1, 0.2, 0.4];
const run = new player.Player(times);
run.isPlaying = true;
run.advance(0.25);
expect(run.index === 2 && Math.abs(run.time - 0.25) < 1e-9, `after 0.25 s it is ${run.time} s`);
run.speed = 0.5;
run.advance(0.1);
expect(Math.abs(run.time - 0.3) < 1e-9, `half as fast it is ${run.time} s`);
run.advance(0.3);
expect(Math.abs(run.time - 0.05) < 1e-9, `it loops to ${run.time} s`);
run.loops = false;
run.advance(10);
expect(run.index === 3 && !run.isPlaying, "without a loop it stops at the end");

// Blocks that are altered or missing.
const raw = new Uint8Array([...Buffer.from("SETU"), 2, 0, 0, 0, ...Buffer.from("{}")]);
const stored = deflateRawSync(raw);
const block = [stored.length, raw.length, crc32 ? crc32(stored) : 0, 0];
if (crc32) {
    const text = stored.toString("base64");
    const [chunk] = await run_source.carriedSource(`${text}\n`, [block], "").head();
    expect(chunk.tag === "SETU" && Buffer.from(chunk.bytes).toString() === "{}", "a block is read");
    const changed = text[2] === "A" ? "B" : "A";
    await run_source.carriedSource(`${text.slice(0, 2)}${changed}${text.slice(3)}`, [block], "").head().then(
        () => expect(false, "an altered block is read"),
        (error) => expect(/altered/.test(error.message), error.message),
    );
    expect(run_source.carriedSource(`${text}\n`, [block, [5, 5, 0, 7]], "").whyIncomplete !== "", "a missing block is noticed");
    let words = "";
    try {
        run_source.carriedSource("", [block], "");
    } catch (error) {
        words = error.message;
    }
    expect(words.includes("cut off"), `without any block: ${words}`);
}

expect(lengths.lengthText(0.0123) === "1.23 cm" && lengths.lengthText(-2) === "-2 m" && lengths.lengthText(0) === "0", "lengths have units");
expect(depth_colours.depthColour(-1, 1).join() === "0.35,0,0.55" && depth_colours.depthColour(0.1, 1)[2] === 1, "colours of depths");

if (failures > 0) {
    console.error(`units: ${failures} failures`);
    process.exit(1);
}
console.log("units: all parts do what they should");
