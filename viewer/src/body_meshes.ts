// Draws the bodies: each mesh is stored once and drawn once for all its bodies, which find their poses in a texture.
// Cloth has vertices of its own in every frame.
import * as THREE from "three";
import { bodiesPerRow, PoseTexture, poseShader } from "./pose_texture";
import type { Frame, MeshArrays, Recording } from "./recording";

const none = -1;

interface Drawn {
    material: THREE.Material;
    numbered: THREE.Object3D; // the same in the picture of numbers
}

export class BodyMeshes {
    readonly group = new THREE.Group();
    // The same bodies, where the colour of each pixel is the body's number: red + 256 green + 65536 blue, plus 1.
    readonly numbered = new THREE.Group();
    private readonly poses: PoseTexture;
    private readonly highlighted = { value: none };
    private readonly look: THREE.DataTexture; // colour of each body; alpha: whether it is awake
    private readonly fixed: Drawn[] = [];
    private readonly sides: [THREE.Material, THREE.Side][] = [];
    private readonly cloth: { positions: THREE.BufferAttribute; body: number }[] = [];

    // meshes: what is drawn of each shape; cut: the plane beyond which nothing is drawn.
    // repeats: a mesh is copied for each of its bodies, which a processor draws several times faster than instances.
    constructor(
        private readonly recording: Recording,
        meshes: MeshArrays[],
        private readonly cut: { value: THREE.Vector4 },
        private readonly repeats: boolean,
    ) {
        this.poses = new PoseTexture(recording.bodies.length);
        this.look = makeLook(recording);
        for (const [shape, mesh] of meshes.entries()) {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
            geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
            for (const isFixed of [false, true]) {
                const bodies = recording.bodies.flatMap((body, i) =>
                    body.shape === shape && body.motion !== "cloth" && (body.motion === "fixed") === isFixed ? [i] : [],
                );
                if (bodies.length > 0) this.addBodies(bodies, geometry, isFixed);
            }
        }
        for (const body of recording.clothBodies) this.addCloth(body);
    }

    set(now: Frame, next: Frame, fraction: number): void {
        this.poses.set(now, next);
        this.poses.fraction.value = fraction;
        for (const [i, cloth] of this.cloth.entries()) {
            const from = now.vertices[i];
            const to = next.vertices[i] ?? from;
            const positions = cloth.positions.array as Float32Array;
            for (let k = 0; k < positions.length; ++k) positions[k] = from[k] + (to[k] - from[k]) * fraction;
            cloth.positions.needsUpdate = true;
        }
        const texels = this.look.image.data as Uint8Array;
        for (let body = 0; body < now.isAsleep.length; ++body) texels[4 * body + 3] = now.isAsleep[body] ? 150 : 255;
        this.look.needsUpdate = true;
    }
    // Between the two frames that were set last.
    setFraction(fraction: number): void {
        this.poses.fraction.value = fraction;
    }
    setSeeThrough(isOn: boolean): void {
        for (const { material, numbered } of this.fixed) {
            numbered.visible = !isOn;
            material.transparent = isOn;
            material.opacity = isOn ? 0.25 : 1;
            material.depthWrite = !isOn;
            material.needsUpdate = true;
        }
    }
    // Where bodies are cut open, their insides are seen.
    setCut(isOn: boolean): void {
        for (const [material, side] of this.sides) {
            material.side = isOn ? THREE.DoubleSide : side;
            material.needsUpdate = true;
        }
    }
    highlight(body: number | null): void {
        this.highlighted.value = body ?? none;
    }

    // Fixed bodies are drawn by themselves, since the eye may be let through them.
    private addBodies(bodies: number[], mesh: THREE.BufferGeometry, isFixed: boolean): void {
        const geometry = this.repeats ? repeated(mesh, bodies) : instanced(mesh, bodies);
        const drawn = this.add(geometry, "placed(position)", THREE.FrontSide);
        if (isFixed) this.fixed.push(drawn);
    }
    private addCloth(body: number): void {
        const mesh = this.recording.meshes[this.recording.bodies[body].shape];
        const geometry = new THREE.BufferGeometry();
        const positions = new THREE.BufferAttribute(mesh.positions.slice(), 3);
        positions.setUsage(THREE.DynamicDrawUsage);
        geometry.setAttribute("position", positions);
        geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
        const number = new Float32Array(mesh.positions.length / 3).fill(body);
        geometry.setAttribute("body", new THREE.BufferAttribute(number, 1));
        this.cloth.push({ positions, body });
        this.add(geometry, "position", THREE.DoubleSide);
    }
    private add(geometry: THREE.BufferGeometry, place: string, side: THREE.Side): Drawn {
        const uniforms = { poses: { value: this.poses.texture }, fraction: this.poses.fraction, cut: this.cut };
        const material = new THREE.MeshLambertMaterial({ flatShading: true, side });
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, uniforms, { look: { value: this.look }, highlighted: this.highlighted });
            shader.vertexShader = `${poseShader}\n${shader.vertexShader}`
                .replace("#include <begin_vertex>", `vec3 transformed = ${place}; vBody = body; vPlace = transformed;`);
            shader.fragmentShader = `varying float vBody; varying vec3 vPlace; uniform vec4 cut; uniform sampler2D look; uniform float highlighted;\n${
                shader.fragmentShader}`.replace("#include <color_fragment>", /* glsl */ `
                    if (dot(vPlace, cut.xyz) > cut.w) discard;
                    vec4 own = texelFetch(look, ivec2(int(vBody + 0.5) % ${bodiesPerRow}, int(vBody + 0.5) / ${bodiesPerRow}), 0);
                    diffuseColor.rgb = own.rgb * (own.a < 0.9 ? 0.6 : 1.0);
                    if (abs(vBody - highlighted) < 0.5) diffuseColor.rgb = mix(diffuseColor.rgb, vec3(1.0, 0.62, 0.05), 0.75);`);
        };
        // Programs are told apart by this.
        material.customProgramCacheKey = () => place;
        const mesh = new THREE.Mesh(geometry, material);
        mesh.frustumCulled = false; // where it is only the texture knows
        this.group.add(mesh);
        this.sides.push([material, side]);

        const numbers = new THREE.ShaderMaterial({
            side,
            uniforms,
            vertexShader: `${poseShader}
                void main() {
                    vBody = body;
                    vPlace = ${place};
                    gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);
                }`,
            fragmentShader: /* glsl */ `
                varying float vBody;
                varying vec3 vPlace;
                uniform vec4 cut;
                void main() {
                    if (dot(vPlace, cut.xyz) > cut.w) discard;
                    int n = int(vBody + 0.5) + 1;
                    gl_FragColor = vec4(float(n & 255), float((n >> 8) & 255), float(n >> 16), 255.0) / 255.0;
                }`,
        });
        const numbered = new THREE.Mesh(geometry, numbers);
        numbered.frustumCulled = false;
        this.numbered.add(numbered);
        return { material, numbered };
    }
}

function instanced(mesh: THREE.BufferGeometry, bodies: number[]): THREE.BufferGeometry {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", mesh.getAttribute("position"));
    geometry.setIndex(mesh.getIndex());
    geometry.setAttribute("body", new THREE.InstancedBufferAttribute(Float32Array.from(bodies), 1));
    geometry.instanceCount = bodies.length;
    return geometry;
}
function repeated(mesh: THREE.BufferGeometry, bodies: number[]): THREE.BufferGeometry {
    const own = mesh.getAttribute("position").array as Float32Array;
    const corners = (mesh.getIndex() as THREE.BufferAttribute).array;
    const count = own.length / 3;
    const positions = new Float32Array(own.length * bodies.length);
    const numbers = new Float32Array(count * bodies.length);
    const triangles = new Uint32Array(corners.length * bodies.length);
    for (const [i, body] of bodies.entries()) {
        positions.set(own, i * own.length);
        numbers.fill(body, i * count, (i + 1) * count);
        for (let k = 0; k < corners.length; ++k) triangles[i * corners.length + k] = corners[k] + i * count;
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute("body", new THREE.BufferAttribute(numbers, 1));
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    return geometry;
}

// Fixed bodies are grey; others have the colour of their shape, with hues far apart.
function makeLook(recording: Recording): THREE.DataTexture {
    const rows = Math.max(1, Math.ceil(recording.bodies.length / bodiesPerRow));
    const texels = new Uint8Array(4 * bodiesPerRow * rows);
    const colour = new THREE.Color();
    for (const [i, body] of recording.bodies.entries()) {
        const hue = (0.58 + 0.381966 * body.shape) % 1;
        if (body.motion === "fixed") colour.setHSL(0, 0, 0.55);
        else colour.setHSL(hue, 0.45, 0.5 + 0.08 * ((i % 5) / 4));
        texels.set([255 * colour.r, 255 * colour.g, 255 * colour.b, 255], 4 * i);
    }
    const look = new THREE.DataTexture(texels, bodiesPerRow, rows, THREE.RGBAFormat, THREE.UnsignedByteType);
    look.needsUpdate = true;
    return look;
}
