// The poses of all bodies in two neighbouring frames, as one texture of the GPU: four texels a body, translation and
// scale, rotation, and the same in the next frame. The vertex shader goes from the one to the other.
import * as THREE from "three";
import type { Frame } from "./recording";

const texelsPerBody = 4;
export const bodiesPerRow = 256;

export class PoseTexture {
    readonly texture: THREE.DataTexture;
    readonly fraction = { value: 0 }; // of the way to the next frame
    private readonly texels: Float32Array;

    constructor(private readonly bodyCount: number) {
        const rows = Math.max(1, Math.ceil(bodyCount / bodiesPerRow));
        const width = texelsPerBody * bodiesPerRow;
        this.texels = new Float32Array(4 * width * rows);
        this.texture = new THREE.DataTexture(this.texels, width, rows, THREE.RGBAFormat, THREE.FloatType);
    }

    // A body that is not there has scale 0. One that appears with the next frame appears then.
    set(now: Frame, next: Frame): void {
        for (let body = 0; body < this.bodyCount; ++body) {
            this.write(body, 0, now, now);
            this.write(body, 2, next.isPresent[body] ? next : now, now);
        }
        this.texture.needsUpdate = true;
    }
    private write(body: number, texel: number, frame: Frame, presence: Frame): void {
        const p = frame.poses.subarray(8 * body, 8 * body + 8);
        const scale = presence.isPresent[body] ? p[7] : 0;
        this.texels.set([p[0], p[1], p[2], scale, p[4], p[5], p[6], p[3]], 4 * (texelsPerBody * body + texel));
    }
}

// What a vertex shader needs to place a vertex `transformed` of the body with the index `body`.
export const poseShader = /* glsl */ `
    attribute float body;
    uniform sampler2D poses;
    uniform float fraction;
    varying float vBody;
    varying vec3 vPlace;
    vec3 turned(vec4 q, vec3 p) { return p + 2.0 * cross(q.xyz, cross(q.xyz, p) + q.w * p); }
    vec3 placed(vec3 p) {
        int index = int(body + 0.5);
        ivec2 at = ivec2(${texelsPerBody} * (index % ${bodiesPerRow}), index / ${bodiesPerRow});
        vec4 fromPlace = texelFetch(poses, at, 0), fromTurn = texelFetch(poses, at + ivec2(1, 0), 0);
        vec4 toPlace = texelFetch(poses, at + ivec2(2, 0), 0), toTurn = texelFetch(poses, at + ivec2(3, 0), 0);
        if (dot(fromTurn, toTurn) < 0.0) toTurn = -toTurn;
        vec4 place = mix(fromPlace, toPlace, fraction);
        return place.xyz + place.w * turned(normalize(mix(fromTurn, toTurn, fraction)), p);
    }
`;
