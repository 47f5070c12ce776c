// Draws the contacts of a frame: a disc for each, coloured by its depth, or by its time where the run is one step, and a
// line along its normal.
import * as THREE from "three";
import { depthColour, timeColour } from "./depth_colours";
import { FatLines } from "./fat_lines";
import type { Contacts } from "./recording";

export class ContactMarks {
    readonly points: THREE.Points;
    readonly normals = new FatLines(1.6);
    shownCount = 0;
    private capacity = 0;

    // normalLength [m]; deepest: the depth of the last colour [m]
    constructor(private readonly normalLength: number, public deepest: number, private readonly byTime: boolean, pixelRatio: number) {
        const material = new THREE.ShaderMaterial({
            depthTest: false,
            transparent: true,
            uniforms: { size: { value: 9 * pixelRatio } },
            vertexShader: /* glsl */ `
                attribute vec3 colour;
                uniform float size;
                varying vec3 vColour;
                void main() {
                    gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
                    gl_PointSize = size;
                    vColour = colour;
                }`,
            // A dark rim keeps bright discs apart from bright grounds.
            fragmentShader: /* glsl */ `
                varying vec3 vColour;
                void main() {
                    float away = length(gl_PointCoord - 0.5);
                    if (away > 0.5) discard;
                    gl_FragColor = vec4(mix(vColour, vec3(0.1), smoothstep(0.33, 0.42, away)), 1.0);
                }`,
        });
        this.points = new THREE.Points(new THREE.BufferGeometry(), material);
        this.points.frustumCulled = false;
        this.points.renderOrder = 3;
        this.makeRoom(1);
    }

    // time: in the step, up to which contacts are shown where the run is one.
    set(contacts: Contacts, time = Infinity): void {
        this.makeRoom(contacts.count);
        const { position, colour } = this.points.geometry.attributes;
        const to = [0, 0, 0];
        let count = 0;
        for (let i = 0; i < contacts.count; ++i) {
            if (this.byTime && contacts.times[i] > time) continue;
            const seen = this.byTime ? timeColour(contacts.times[i]) : depthColour(contacts.distances[i], this.deepest);
            const from = contacts.positions.subarray(3 * i, 3 * i + 3);
            (position.array as Float32Array).set(from, 3 * count);
            (colour.array as Float32Array).set(seen, 3 * count);
            for (let c = 0; c < 3; ++c) to[c] = from[c] + this.normalLength * contacts.normals[3 * i + c];
            this.normals.set(count, from, to, seen);
            ++count;
        }
        this.points.geometry.setDrawRange(0, count);
        position.needsUpdate = colour.needsUpdate = true;
        this.normals.finish(count);
        this.shownCount = count;
    }

    private makeRoom(count: number): void {
        this.normals.makeRoom(count);
        if (count <= this.capacity) return;
        this.capacity = Math.max(count, 2 * this.capacity, 64);
        this.points.geometry.dispose();
        this.points.geometry = new THREE.BufferGeometry();
        for (const name of ["position", "colour"])
            this.points.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * this.capacity), 3));
    }
}
