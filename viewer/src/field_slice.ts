// A plane through the bodies' distance fields: how far each of its points is from the nearest body, or how deep it is in
// two bodies at once, with lines of equal distance. Fields are coarse samples that the page carries.
import * as THREE from "three";
import { rotate } from "./body_boxes";
import type { FieldEntry } from "./page_about";
import type { Frame, Recording } from "./recording";
import { inflateBytes } from "./recording_file";
import { bytesOfBase64 } from "./run_source";

export interface SampledField {
    origin: readonly number[];
    spacing: number;
    size: readonly number[];
    values: Float32Array; // [m]
}

export async function readField(entry: FieldEntry): Promise<SampledField> {
    const bytes = await inflateBytes(bytesOfBase64(entry.samples), 2 * entry.size[0] * entry.size[1] * entry.size[2]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const values = Float32Array.from({ length: bytes.length / 2 }, (_, i) => entry.unit * view.getInt16(2 * i, true));
    return { origin: entry.origin, spacing: entry.spacing, size: entry.size, values };
}

// Between samples; NaN beyond them.
export function sample(field: SampledField, x: number, y: number, z: number): number {
    const at = [x, y, z].map((p, c) => (p - field.origin[c]) / field.spacing);
    const low = at.map((p, c) => Math.min(Math.floor(p), field.size[c] - 2));
    if (!at.every((p, c) => p >= 0 && p <= field.size[c] - 1)) return NaN;
    const [fx, fy, fz] = at.map((p, c) => p - low[c]);
    const row = field.size[0];
    const layer = row * field.size[1];
    const first = low[0] + row * low[1] + layer * low[2];
    const v = field.values;
    const along = (i: number) => v[i] + (v[i + 1] - v[i]) * fx;
    const across = (i: number) => along(i) + (along(i + row) - along(i)) * fy;
    return across(first) + (across(first + layer) - across(first)) * fz;
}

export type SliceMode = "off" | "bodies" | "overlap";
export interface Plane {
    axis: number; // that it is normal to
    at: number; // [m]
    low: [number, number]; // [m] along the other two axes, in their order
    high: [number, number];
}

// Values [m] at the middles of count x count cells, NaN where no field tells. Of bodies: the least distance; of overlaps:
// the least of the larger of two distances, below 0 inside both.
export function sliceValues(recording: Recording, frame: Frame, fields: (SampledField | null)[], plane: Plane, count: number, mode: SliceMode): Float32Array {
    const least = new Float32Array(count * count).fill(Infinity);
    const second = new Float32Array(count * count).fill(Infinity);
    const [u, v] = [0, 1, 2].filter((c) => c !== plane.axis);
    const cell = [0, 1].map((k) => (plane.high[k] - plane.low[k]) / count);
    for (const [i, body] of recording.bodies.entries()) {
        const field = fields[body.shape];
        if (!field || !frame.isPresent[i] || body.motion === "cloth") continue;
        const pose = frame.poses.subarray(8 * i, 8 * i + 8);
        const back = [pose[3], -pose[4], -pose[5], -pose[6]];
        const middle = field.origin.map((o, c) => o + (field.spacing * (field.size[c] - 1)) / 2);
        const reach = pose[7] * Math.hypot(...field.size.map((n) => (field.spacing * (n - 1)) / 2));
        const centre = rotate(pose, 3, middle.map((m) => m * pose[7])).map((m, c) => m + pose[c]);
        if (Math.abs(centre[plane.axis] - plane.at) > reach) continue;
        const range = [u, v].map((axis, k) => [
            Math.max(0, Math.floor((centre[axis] - reach - plane.low[k]) / cell[k])),
            Math.min(count - 1, Math.ceil((centre[axis] + reach - plane.low[k]) / cell[k])),
        ]);
        const point = [0, 0, 0];
        for (let row = range[1][0]; row <= range[1][1]; ++row) {
            for (let column = range[0][0]; column <= range[0][1]; ++column) {
                point[plane.axis] = plane.at - pose[plane.axis];
                point[u] = plane.low[0] + (column + 0.5) * cell[0] - pose[u];
                point[v] = plane.low[1] + (row + 0.5) * cell[1] - pose[v];
                const [x, y, z] = rotate(back, 0, point);
                const value = pose[7] * sample(field, x / pose[7], y / pose[7], z / pose[7]);
                if (Number.isNaN(value)) continue;
                const k = row * count + column;
                second[k] = Math.min(second[k], Math.max(least[k], value));
                least[k] = Math.min(least[k], value);
            }
        }
    }
    const values = mode === "overlap" ? second : least;
    for (let k = 0; k < values.length; ++k) if (values[k] === Infinity) values[k] = NaN;
    return values;
}

const cells = 192;

export class FieldSlice {
    readonly mesh: THREE.Mesh;
    readonly cut = { value: new THREE.Vector4(0, 0, 0, 1) }; // what is beyond is not drawn
    mode: SliceMode = "off";
    axis = 1;
    fraction = 0.5; // of the box, along the axis
    spacing = 0; // [m] between lines
    private readonly texels = new Uint16Array(4 * cells * cells);
    private readonly texture = new THREE.DataTexture(this.texels, cells, cells, THREE.RGBAFormat, THREE.HalfFloatType);
    private readonly lines = { value: 1 };

    constructor(private readonly recording: Recording, private readonly fields: (SampledField | null)[], private readonly box: THREE.Box3) {
        this.texture.magFilter = this.texture.minFilter = THREE.LinearFilter;
        const material = new THREE.ShaderMaterial({
            side: THREE.DoubleSide,
            transparent: true,
            uniforms: { values: { value: this.texture }, spacing: this.lines },
            vertexShader: `varying vec2 at; void main() { at = uv; gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }`,
            // Blue outside, red inside, paler with every line; the surface is dark.
            fragmentShader: /* glsl */ `
                varying vec2 at;
                uniform sampler2D values;
                uniform float spacing;
                void main() {
                    vec4 seen = texture2D(values, at);
                    if (seen.g < 0.99) discard;
                    float steps = seen.r / spacing;
                    float width = max(fwidth(steps), 1e-6);
                    float shade = exp(-abs(steps) / 6.0);
                    vec3 colour = steps < 0.0 ? mix(vec3(0.93, 0.70, 0.60), vec3(0.80, 0.28, 0.20), 1.0 - shade)
                                              : mix(vec3(0.98, 0.98, 0.97), vec3(0.42, 0.60, 0.80), 1.0 - shade);
                    float line = 1.0 - smoothstep(0.6, 1.4, abs(fract(steps + 0.5) - 0.5) / width);
                    if (width < 0.45) colour = mix(colour, colour * 0.45, 0.8 * line);
                    colour = mix(vec3(0.05), colour, smoothstep(1.0, 2.2, abs(steps) / width));
                    gl_FragColor = vec4(colour, 0.94);
                }`,
        });
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(12), 3));
        geometry.setAttribute("uv", new THREE.BufferAttribute(new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), 2));
        geometry.setIndex([0, 1, 2, 2, 1, 3]);
        this.mesh = new THREE.Mesh(geometry, material);
        this.mesh.frustumCulled = false;
        this.mesh.visible = false;
    }
    get isThere(): boolean {
        return this.fields.some((field) => field !== null);
    }
    plane(): Plane {
        const low = this.box.min.toArray();
        const high = this.box.max.toArray();
        const [u, v] = [0, 1, 2].filter((c) => c !== this.axis);
        const at = low[this.axis] + this.fraction * (high[this.axis] - low[this.axis]);
        return { axis: this.axis, at, low: [low[u], low[v]], high: [high[u], high[v]] };
    }
    // eye: [m] what lies between it and the plane is cut away.
    update(frame: Frame, eye: THREE.Vector3): void {
        this.mesh.visible = this.mode !== "off";
        if (this.mode === "off") {
            this.cut.value.set(0, 0, 0, 1);
            return;
        }
        const plane = this.plane();
        const values = sliceValues(this.recording, frame, this.fields, plane, cells, this.mode);
        for (let k = 0; k < values.length; ++k) {
            const isKnown = !Number.isNaN(values[k]);
            this.texels[4 * k] = THREE.DataUtils.toHalfFloat(isKnown ? values[k] : 0);
            this.texels[4 * k + 1] = isKnown ? 0x3c00 : 0;
        }
        this.texture.needsUpdate = true;
        const [u, v] = [0, 1, 2].filter((c) => c !== plane.axis);
        const corners = this.mesh.geometry.attributes.position;
        for (let k = 0; k < 4; ++k) {
            corners.setComponent(k, plane.axis, plane.at);
            corners.setComponent(k, u, k & 1 ? plane.high[0] : plane.low[0]);
            corners.setComponent(k, v, k & 2 ? plane.high[1] : plane.low[1]);
        }
        corners.needsUpdate = true;
        this.spacing = roundLength(Math.max(plane.high[0] - plane.low[0], plane.high[1] - plane.low[1]) / 60);
        this.lines.value = this.spacing;
        this.face(eye);
    }
    face(eye: THREE.Vector3): void {
        if (this.mode === "off") return;
        const { axis, at } = this.plane();
        const sign = eye.getComponent(axis) > at ? 1 : -1;
        this.cut.value.set(0, 0, 0, sign * at);
        this.cut.value.setComponent(axis, sign);
    }
}

// 1, 2 or 5 times a power of ten.
export function roundLength(length: number): number {
    const power = 10 ** Math.floor(Math.log10(length));
    return power * ([1, 2, 5].find((digit) => digit * power >= length) ?? 10);
}
