// Straight lines some pixels wide, each with a colour of its own; WebGL's own are never wider than one.
import * as THREE from "three";

export class FatLines {
    readonly mesh: THREE.Mesh;
    private readonly resolution = { value: new THREE.Vector2(1, 1) };
    private capacity = 0;

    constructor(width: number, opacity = 1, isOnTop = true) {
        const material = new THREE.ShaderMaterial({
            transparent: true,
            side: THREE.DoubleSide,
            depthTest: !isOnTop,
            depthWrite: false,
            uniforms: { resolution: this.resolution, opacity: { value: opacity } },
            vertexShader: /* glsl */ `
                attribute vec3 from, to, colour;
                uniform vec2 resolution;
                varying vec3 vColour;
                void main() {
                    vec4 a = projectionMatrix * viewMatrix * vec4(from, 1.0);
                    vec4 b = projectionMatrix * viewMatrix * vec4(to, 1.0);
                    // What is behind the eye is cut off.
                    float least = 1e-5;
                    if (a.w < least) a = mix(a, b, (least - a.w) / max(b.w - a.w, least));
                    else if (b.w < least) b = mix(b, a, (least - b.w) / max(a.w - b.w, least));
                    vec2 way = (b.xy / b.w - a.xy / a.w) * resolution;
                    way = length(way) > 1e-6 ? normalize(way) : vec2(1.0, 0.0);
                    gl_Position = position.y > 0.5 ? b : a;
                    gl_Position.xy += vec2(-way.y, way.x) / resolution * (position.x * ${width.toFixed(1)}) * gl_Position.w;
                    vColour = colour;
                }`,
            fragmentShader: /* glsl */ `
                varying vec3 vColour;
                uniform float opacity;
                void main() { gl_FragColor = vec4(vColour, opacity); }`,
        });
        this.mesh = new THREE.Mesh(new THREE.InstancedBufferGeometry(), material);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = 2;
        this.mesh.onBeforeRender = (renderer) => {
            renderer.getSize(this.resolution.value);
        };
        this.makeRoom(1);
        this.finish(0);
    }

    makeRoom(count: number): void {
        if (count <= this.capacity) return;
        this.capacity = Math.max(count, 2 * this.capacity, 64);
        const old = this.mesh.geometry;
        old.dispose();
        const geometry = new THREE.InstancedBufferGeometry();
        const corners = new Float32Array([-1, 0, 0, 1, 0, 0, -1, 1, 0, 1, 1, 0]);
        geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
        geometry.setIndex([0, 1, 2, 2, 1, 3]);
        for (const name of ["from", "to", "colour"]) {
            const values = new Float32Array(3 * this.capacity);
            if (old.attributes[name]) values.set(old.attributes[name].array);
            geometry.setAttribute(name, new THREE.InstancedBufferAttribute(values, 3));
        }
        geometry.instanceCount = this.count;
        this.mesh.geometry = geometry;
    }
    set(index: number, from: ArrayLike<number>, to: ArrayLike<number>, colour: ArrayLike<number>): void {
        const { attributes } = this.mesh.geometry;
        (attributes.from.array as Float32Array).set(from, 3 * index);
        (attributes.to.array as Float32Array).set(to, 3 * index);
        (attributes.colour.array as Float32Array).set(colour, 3 * index);
    }
    finish(count: number): void {
        const geometry = this.mesh.geometry as THREE.InstancedBufferGeometry;
        geometry.instanceCount = count;
        for (const name of ["from", "to", "colour"]) geometry.attributes[name].needsUpdate = true;
    }
    get count(): number {
        const { instanceCount } = this.mesh.geometry as THREE.InstancedBufferGeometry;
        return Number.isFinite(instanceCount) ? instanceCount : 0;
    }
}
