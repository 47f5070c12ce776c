// Draws the contacts of a frame: a point for each, coloured by depth, and a line along its normal.
import * as THREE from "three";
import { depthColour } from "./depth_colours";
import type { Contacts } from "./recording";

// Drawn after what is seen through, too.
const onTop = { depthTest: false, transparent: true };

export class ContactMarks {
    readonly points: THREE.Points;
    readonly normals: THREE.LineSegments;
    private readonly colour = new THREE.Color();
    private capacity = 0;

    // normalLength [m]; deepest: the depth of the last colour [m]
    constructor(private readonly normalLength: number, public deepest: number) {
        this.points = new THREE.Points(
            new THREE.BufferGeometry(),
            new THREE.PointsMaterial({ size: 7, sizeAttenuation: false, vertexColors: true, ...onTop }),
        );
        this.normals = new THREE.LineSegments(
            new THREE.BufferGeometry(),
            new THREE.LineBasicMaterial({ vertexColors: true, ...onTop }),
        );
        for (const marks of [this.points, this.normals]) {
            marks.frustumCulled = false;
            marks.renderOrder = 1;
        }
    }

    set(contacts: Contacts): void {
        this.makeRoom(contacts.count);
        const [points, pointColours] = arraysOf(this.points);
        const [lines, lineColours] = arraysOf(this.normals);
        for (let i = 0; i < contacts.count; ++i) {
            const seen = depthColour(contacts.distances[i], this.deepest);
            const colour = this.colour.setRGB(...seen, THREE.SRGBColorSpace).toArray();
            points.set(contacts.positions.subarray(3 * i, 3 * i + 3), 3 * i);
            pointColours.set(colour, 3 * i);
            for (let c = 0; c < 3; ++c) {
                const from = contacts.positions[3 * i + c];
                lines[6 * i + c] = from;
                lines[6 * i + 3 + c] = from + this.normalLength * contacts.normals[3 * i + c];
            }
            lineColours.set(colour, 6 * i);
            lineColours.set(colour, 6 * i + 3);
        }
        finish(this.points, contacts.count);
        finish(this.normals, 2 * contacts.count);
    }

    private makeRoom(count: number): void {
        if (count <= this.capacity) return;
        this.capacity = Math.max(count, 2 * this.capacity, 64);
        for (const [marks, vertices] of [[this.points, this.capacity], [this.normals, 2 * this.capacity]] as const) {
            marks.geometry.dispose();
            marks.geometry = new THREE.BufferGeometry();
            for (const name of ["position", "color"])
                marks.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * vertices), 3));
        }
    }
}

type Marks = THREE.Points | THREE.LineSegments;
function arraysOf(marks: Marks): [Float32Array, Float32Array] {
    const { position, color } = marks.geometry.attributes;
    return position ? [position.array as Float32Array, color.array as Float32Array] : [new Float32Array(), new Float32Array()];
}
function finish(marks: Marks, vertices: number): void {
    marks.geometry.setDrawRange(0, vertices);
    for (const attribute of Object.values(marks.geometry.attributes)) attribute.needsUpdate = true;
}
