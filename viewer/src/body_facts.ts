// What the page says of one body in words and numbers.
import { lengthText, numberText } from "./lengths";
import type { Frame, Recording } from "./recording";

export function bodyFacts(recording: Recording, body: number, now: Frame, next: Frame): [string, string][] {
    const entry = recording.bodies[body];
    const facts: [string, string][] = [
        ["shape", recording.meshes[entry.shape].name || String(entry.shape)],
        ["motion", now.isAsleep[body] ? `${entry.motion}, asleep` : entry.motion],
    ];
    const { poses } = now;
    if (entry.motion !== "cloth") {
        const at = [0, 1, 2].map((c) => numberText(poses[8 * body + c]));
        facts.push(["position", `${at.join(", ")} m`]);
        const seconds = next.time - now.time;
        if (seconds > 0 && next.isPresent[body]) {
            const way = Math.hypot(...[0, 1, 2].map((c) => next.poses[8 * body + c] - poses[8 * body + c]));
            facts.push(["speed", `${numberText(way / seconds)} m/s`]);
        }
    }
    const { contacts } = now;
    let count = 0;
    let least = Infinity;
    for (let i = 0; i < contacts.count; ++i) {
        if (contacts.bodies[2 * i] !== body && contacts.bodies[2 * i + 1] !== body) continue;
        ++count;
        least = Math.min(least, contacts.distances[i]);
    }
    facts.push(["contacts", String(count)]);
    if (count > 0) facts.push([least <= 0 ? "deepest" : "nearest", lengthText(Math.abs(least))]);
    return facts;
}
