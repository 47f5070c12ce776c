// Lines in space: the paths of points that touch within a step, the path of a chosen body's origin through the run, rays,
// and pairs of bodies whose boxes touch.
import { type BoxFinder, rotate, touchingPairs } from "./body_boxes";
import { timeColour } from "./depth_colours";
import { FatLines } from "./fat_lines";
import type { About } from "./page_about";
import type { Frame, Recording } from "./recording";

type Point = [number, number, number];
const bodyColour = [0.05, 0.45, 0.75];
const pairColour = [0.35, 0.55, 0.25];
const rayColour = [0.15, 0.5, 0.25];
const mostSegments = 20000;

function placed(frame: Frame, body: number, own: readonly number[]): Point {
    const at = 8 * body;
    const turned = rotate(frame.poses, at + 3, own.map((p) => p * frame.poses[at + 7]));
    return [0, 1, 2].map((c) => frame.poses[at + c] + turned[c]) as Point;
}

async function allFrames(recording: Recording): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (frames.length < recording.frameCount) frames.push(...(await recording.framesAround(frames.length)).frames);
    return frames;
}

export class Paths {
    readonly tracks = new FatLines(1.4, 0.75);
    readonly body = new FatLines(2.2, 0.9);
    readonly rays = new FatLines(1.4, 0.85);
    readonly pairs = new FatLines(1.4, 0.8);

    constructor(private readonly recording: Recording, private readonly about: About, private readonly boxes: BoxFinder) {
        const rays = about.rays ?? [];
        this.rays.makeRoom(rays.length);
        for (const [i, ray] of rays.entries()) this.rays.set(i, ray.slice(0, 3), ray.slice(3), rayColour);
        this.rays.finish(rays.length);
        this.pairs.mesh.visible = false;
    }
    get hasTracks(): boolean {
        return (this.about.tracked?.length ?? 0) > 0;
    }

    // Each up to the time when its point touches.
    async showTracks(): Promise<void> {
        const tracked = this.about.tracked ?? [];
        if (tracked.length === 0) return;
        const frames = await allFrames(this.recording);
        const stride = Math.max(1, Math.ceil((tracked.length * frames.length) / mostSegments));
        const span = frames[frames.length - 1].time;
        let count = 0;
        for (const [body, x, y, z, time] of tracked) {
            const until = frames.filter((frame, i) => i % stride === 0 && frame.time <= time * span);
            const points = until.map((frame) => placed(frame, body, [x, y, z]));
            this.tracks.makeRoom(count + points.length);
            for (let i = 1; i < points.length; ++i) this.tracks.set(count++, points[i - 1], points[i], timeColour(time));
        }
        this.tracks.finish(count);
    }

    async showBody(body: number | null): Promise<void> {
        this.body.finish(0);
        if (body === null || this.recording.bodies[body].motion === "cloth") return;
        const frames = (await allFrames(this.recording)).filter((frame) => frame.isPresent[body]);
        this.body.makeRoom(frames.length);
        for (let i = 1; i < frames.length; ++i)
            this.body.set(i - 1, placed(frames[i - 1], body, [0, 0, 0]), placed(frames[i], body, [0, 0, 0]), bodyColour);
        this.body.finish(Math.max(0, frames.length - 1));
    }

    // Returns how many there are.
    showPairs(frame: Frame): number {
        const boxes = this.boxes.boxes(frame);
        const pairs = touchingPairs(boxes, (body) => this.recording.bodies[body].motion === "fixed");
        this.pairs.makeRoom(pairs.length);
        // A fixed body may be large: the line then ends where its box is nearest to the other's middle.
        const middle = (body: number) => [0, 1, 2].map((c) => (boxes[6 * body + c] + boxes[6 * body + 3 + c]) / 2);
        const end = (body: number, other: number) =>
            this.recording.bodies[body].motion !== "fixed"
                ? middle(body)
                : middle(other).map((m, c) => Math.max(boxes[6 * body + c], Math.min(m, boxes[6 * other + c])));
        for (const [i, [a, b]] of pairs.entries()) this.pairs.set(i, end(a, b), end(b, a), pairColour);
        this.pairs.finish(pairs.length);
        return pairs.length;
    }
}
