// What is seen: camera, light, the ground grid, and which body is under the pointer.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    readonly controls: OrbitControls;
    readonly renderer: THREE.WebGLRenderer;
    private readonly numberTarget = new THREE.WebGLRenderTarget(1, 1);
    private readonly numberScene = new THREE.Scene();
    private grid: THREE.GridHelper | null = null;
    private isDark = false;
    needsDrawing = true;

    readonly isSoftware: boolean; // the processor draws

    constructor(canvas: HTMLCanvasElement) {
        this.isSoftware = drawsBySoftware();
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.isSoftware });
        this.renderer.setPixelRatio(this.isSoftware ? 1 : Math.min(window.devicePixelRatio, 2));
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.addEventListener("change", () => (this.needsDrawing = true));
        this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8378, 2.2));
        const sun = new THREE.DirectionalLight(0xffffff, 1.6);
        sun.position.set(0.4, -0.6, 1);
        this.scene.add(sun);
    }

    // Turns the camera by angles [rad], and goes nearer by a factor.
    turn(around: number, up: number, nearer: number): void {
        const away = this.camera.position.clone().sub(this.controls.target);
        const ball = new THREE.Spherical().setFromVector3(new THREE.Vector3(away.x, away.z, -away.y));
        ball.theta += around;
        ball.phi = Math.max(0.02, Math.min(Math.PI - 0.02, ball.phi - up));
        ball.radius /= nearer;
        const turned = new THREE.Vector3().setFromSpherical(ball);
        this.camera.position.copy(this.controls.target).add(new THREE.Vector3(turned.x, -turned.z, turned.y));
        this.controls.update();
        this.needsDrawing = true;
    }

    add(shown: THREE.Object3D[], numbered: THREE.Object3D): void {
        this.scene.add(...shown);
        this.numberScene.add(numbered);
    }

    setDark(isDark: boolean): void {
        this.isDark = isDark;
        this.scene.background = new THREE.Color(isDark ? 0x181b21 : 0xf4f3f0);
        if (this.grid) (this.grid.material as THREE.Material).opacity = isDark ? 0.25 : 0.35;
        this.needsDrawing = true;
    }

    // The camera looks at all of a box, from the side and above.
    fit(box: THREE.Box3): void {
        const centre = box.getCenter(new THREE.Vector3());
        const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
        const away = new THREE.Vector3(0.55, -0.75, 0.42).normalize();
        const right = new THREE.Vector3().crossVectors(this.camera.up, away).normalize();
        const up = new THREE.Vector3().crossVectors(away, right);
        const tall = 0.9 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
        const wide = tall * this.camera.aspect;
        let distance = 0.05 * radius;
        for (let corner = 0; corner < 8; ++corner) {
            const pick = (bit: number, c: "x" | "y" | "z") => (corner & bit ? box.max[c] : box.min[c]);
            const at = new THREE.Vector3(pick(1, "x"), pick(2, "y"), pick(4, "z")).sub(centre);
            const reach = Math.max(Math.abs(at.dot(right)) / wide, Math.abs(at.dot(up)) / tall);
            distance = Math.max(distance, reach + at.dot(away));
        }
        this.camera.near = distance / 500;
        this.camera.far = (distance + radius) * 50;
        this.camera.position.copy(centre).addScaledVector(away, distance);
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(centre);
        this.controls.update();
        this.showGrid(centre, box.min.z, radius);
        this.needsDrawing = true;
    }
    private showGrid(centre: THREE.Vector3, height: number, radius: number): void {
        if (this.grid) {
            this.scene.remove(this.grid);
            this.grid.dispose();
        }
        const cell = 10 ** Math.round(Math.log10(radius / 5));
        const cells = 2 * Math.ceil((2 * radius) / cell);
        this.grid = new THREE.GridHelper(cells * cell, cells, 0x808080, 0x808080);
        this.grid.rotation.x = Math.PI / 2;
        const round = (x: number) => Math.round(x / cell) * cell;
        this.grid.position.set(round(centre.x), round(centre.y), height);
        const material = this.grid.material as THREE.Material;
        material.transparent = true;
        material.opacity = this.isDark ? 0.25 : 0.35;
        this.scene.add(this.grid);
    }

    // The camera turns around a point from now on.
    look(point: THREE.Vector3): void {
        this.controls.target.copy(point);
        this.controls.update();
        this.needsDrawing = true;
    }
    // The camera moves with a point that it follows.
    follow(shift: THREE.Vector3): void {
        this.camera.position.add(shift);
        this.controls.target.add(shift);
        this.controls.update();
        this.needsDrawing = true;
    }

    resize(width: number, height: number): void {
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(height, 1);
        this.camera.updateProjectionMatrix();
        this.needsDrawing = true;
    }

    draw(): void {
        if (!this.needsDrawing) return;
        this.renderer.render(this.scene, this.camera);
        this.needsDrawing = false;
    }

    // The number of the body at a place of the canvas [pixels], null where there is none.
    bodyAt(x: number, y: number): number | null {
        const { clientWidth, clientHeight } = this.renderer.domElement;
        this.camera.setViewOffset(clientWidth, clientHeight, x, y, 1, 1);
        this.renderer.setRenderTarget(this.numberTarget);
        this.renderer.setClearColor(0x000000, 0);
        this.renderer.clear();
        this.renderer.render(this.numberScene, this.camera);
        const pixel = new Uint8Array(4);
        this.renderer.readRenderTargetPixels(this.numberTarget, 0, 0, 1, 1, pixel);
        this.renderer.setRenderTarget(null);
        this.camera.clearViewOffset();
        const number = pixel[0] + 256 * pixel[1] + 65536 * pixel[2];
        return number === 0 ? null : number - 1;
    }

    // Where a point of the world is on the canvas [pixels]; null behind the camera.
    project(point: THREE.Vector3): { x: number; y: number } | null {
        const seen = point.clone().project(this.camera);
        if (seen.z > 1) return null;
        const { clientWidth, clientHeight } = this.renderer.domElement;
        return { x: ((seen.x + 1) / 2) * clientWidth, y: ((1 - seen.y) / 2) * clientHeight };
    }
}

// Whether WebGL runs on the processor, which draws far fewer triangles in time.
function drawsBySoftware(): boolean {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) throw new Error("this browser has no WebGL 2, which draws the bodies");
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
