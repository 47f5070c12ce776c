// How large a run is: the box to fit into the picture, and lengths that other drawings are chosen by.
import * as THREE from "three";
import { BoxFinder } from "./body_boxes";
import type { Frame, Recording } from "./recording";

// The ball around the origin of a shape's own frame that holds its mesh.
function reachOf(positions: Float32Array): number {
    let reachSq = 0;
    for (let i = 0; i < positions.length; i += 3)
        reachSq = Math.max(reachSq, positions[i] ** 2 + positions[i + 1] ** 2 + positions[i + 2] ** 2);
    return Math.sqrt(reachSq);
}

// The box of the bodies that move and are there, of all bodies where none moves.
export function boxOf(recording: Recording, frames: Frame[]): THREE.Box3 {
    const finder = new BoxFinder(recording);
    const hasMoving = recording.bodies.some((body) => body.motion !== "fixed");
    const box = new THREE.Box3();
    for (const frame of frames) {
        const boxes = finder.boxes(frame);
        for (const [i, body] of recording.bodies.entries()) {
            if (!frame.isPresent[i] || (hasMoving && body.motion === "fixed")) continue;
            box.expandByPoint(new THREE.Vector3().fromArray(boxes, 6 * i));
            box.expandByPoint(new THREE.Vector3().fromArray(boxes, 6 * i + 3));
        }
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    return box;
}

// Whether a body that never moves encloses one that does, as a pipe does, so that nothing would be seen.
export function hidesMotion(recording: Recording, frames: Frame[]): boolean {
    const finder = new BoxFinder(recording);
    return frames.some((frame) => {
        const boxes = finder.boxes(frame);
        const isFixed = (i: number) => recording.bodies[i].motion === "fixed";
        const walls = recording.bodies.flatMap((_, i) => (isFixed(i) && frame.isPresent[i] ? [i] : []));
        const holds = (wall: number, body: number) =>
            [0, 1, 2].every((c) => boxes[6 * wall + c] < boxes[6 * body + c] && boxes[6 * body + 3 + c] < boxes[6 * wall + 3 + c]);
        return recording.bodies.some((_, i) => !isFixed(i) && frame.isPresent[i] && walls.some((wall) => holds(wall, i)));
    });
}

// Half the size of the bodies that move, the middle one of all: how long a normal is drawn.
export function typicalReach(recording: Recording, frame: Frame): number {
    const reaches = recording.bodies
        .flatMap((body, i) =>
            body.motion === "fixed" ? [] : [reachOf(recording.meshes[body.shape].positions) * frame.poses[8 * i + 7]],
        )
        .sort((a, b) => a - b);
    return reaches.length > 0 ? reaches[reaches.length >> 1] : 1;
}

export const deepestOf = (frame: Frame): number =>
    frame.contacts.distances.reduce((deepest, distance) => Math.max(deepest, -distance), 0);
