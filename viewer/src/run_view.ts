// A run on the page: puts the recording, the picture, the plots and the controls together.
import * as THREE from "three";
import { BodyMeshes } from "./body_meshes";
import { ContactMarks } from "./contact_marks";
import { cssColour, depthColour } from "./depth_colours";
import { lengthText } from "./lengths";
import { Player } from "./player";
import { type Plot, Plots } from "./plots";
import { type Frame, Recording } from "./recording";
import { boxOf, deepestOf, typicalReach } from "./run_bounds";
import { plotsOf } from "./run_plots";
import { fillSeries, makeSeries } from "./series";
import { Stage } from "./stage";
import { readSteps } from "./step_table";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export async function openRun(file: Uint8Array): Promise<void> {
    const recording = await Recording.open(file);
    const [first, last] = [await recording.frame(0), await recording.frame(recording.frameCount - 1)];
    const view = new RunView(recording, first, last);
    (window as unknown as { grazeRun: RunView }).grazeRun = view; // for tests
    await view.show();
}

class RunView {
    readonly stage = new Stage(byId<HTMLCanvasElement>("picture"));
    readonly bodies: BodyMeshes;
    readonly marks: ContactMarks;
    private readonly series;
    readonly player: Player;
    private readonly plots: Plots;
    private readonly bounds: THREE.Box3;
    shown: { index: number; frame: Frame; next: Frame } | null = null;
    private awaited = -1; // the frame that is being decoded
    private followed: number | null = null;
    private hovered: number | null = null;
    private pointer: { x: number; y: number } | null = null;
    private clock = 0;

    constructor(readonly recording: Recording, first: Frame, last: Frame) {
        this.bodies = new BodyMeshes(recording);
        this.series = makeSeries(recording);
        this.player = new Player(this.series.times);
        this.bounds = boxOf(recording, [first, last]);
        const size = this.bounds.getSize(new THREE.Vector3()).length();
        const normalLength = Math.min(0.5 * typicalReach(recording, first), 0.04 * size);
        this.marks = new ContactMarks(normalLength, Math.max(deepestOf(first), deepestOf(last)));
        this.stage.add([this.bodies.group, this.marks.points, this.marks.normals], this.bodies.numbered);
        this.plots = new Plots(byId("plots"), plotsOf(this.series, readSteps()), (time) => {
            this.player.isPlaying = false;
            this.player.goToTime(time);
        });
        byId("title").textContent = recording.sceneName || "graze";
        document.title = `${recording.sceneName || "run"} - graze`;
        byId("body-count").textContent = String(recording.bodies.length);
        if (recording.whyIncomplete) {
            byId("notice").textContent = `The recording is not complete: ${recording.whyIncomplete}.`;
            byId("notice").hidden = false;
        }
        this.connect();
    }

    async show(): Promise<void> {
        await this.load(0);
        this.resize();
        this.stage.fit(this.bounds);
        this.setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
        requestAnimationFrame((now) => this.tick(now));
        await fillSeries(this.recording, this.series, () => {
            const { known, times } = this.series;
            this.plots.update((plot: Plot) => (plot.times === times ? known : plot.times.length));
            const deepest = this.series.deepest.reduce((a, b) => Math.max(a, b), 0);
            if (deepest > this.marks.deepest) {
                this.marks.deepest = deepest;
                if (this.shown) this.marks.set(this.shown.frame.contacts);
            }
            this.drawLegend();
        });
        document.documentElement.dataset.ready = "all"; // tests wait for it
    }

    private drawLegend(): void {
        const canvas = byId<HTMLCanvasElement>("legend-bar");
        const context = canvas.getContext("2d") as CanvasRenderingContext2D;
        for (let x = 0; x < canvas.width; ++x) {
            context.fillStyle = cssColour(depthColour(-x / (canvas.width - 1), 1));
            context.fillRect(x, 0, 1, canvas.height);
        }
        byId("legend-end").textContent = lengthText(this.marks.deepest);
    }

    private async load(index: number): Promise<void> {
        this.awaited = index;
        const frame = await this.recording.frame(index);
        const next = await this.recording.frame(Math.min(index + 1, this.player.last));
        if (this.awaited !== index) return; // another was asked for meanwhile
        const before = this.shown?.frame;
        this.shown = { index, frame, next };
        this.bodies.set(frame, next, this.player.fraction);
        this.marks.set(frame.contacts);
        this.follow(before);
        byId("contact-count").textContent = String(frame.contacts.count);
        byId("deepest").textContent = lengthText(deepestOf(frame));
        this.stage.needsDrawing = true;
        document.documentElement.dataset.frame = String(index);
    }

    private tick(now: number): void {
        const seconds = Math.min((now - this.clock) / 1000, 0.25);
        this.clock = now;
        this.player.advance(seconds);
        const { index, fraction } = this.player;
        if (this.awaited !== index) void this.load(index);
        if (this.shown?.index === index && this.player.isPlaying) {
            if (this.recording.clothBodies.length > 0) this.bodies.set(this.shown.frame, this.shown.next, fraction);
            else this.bodies.setFraction(fraction);
            this.stage.needsDrawing = true;
        }
        this.lookUnderPointer();
        this.showClock();
        this.plots.showTime(this.player.time);
        this.stage.draw();
        requestAnimationFrame((then) => this.tick(then));
    }

    private showClock(): void {
        const text = `${this.player.time.toFixed(3)} s, frame ${this.player.index} of ${this.player.last}`;
        const clock = byId("clock");
        if (clock.textContent !== text) {
            clock.textContent = text;
            byId<HTMLInputElement>("scrub").value = String(this.player.index);
        }
        const play = byId("play");
        const label = this.player.isPlaying ? "Pause" : "Play";
        if (play.getAttribute("aria-label") !== label) {
            play.setAttribute("aria-label", label);
            play.textContent = this.player.isPlaying ? "\u2759\u2759" : "\u25B6";
        }
    }

    private follow(before: Frame | undefined): void {
        if (this.followed === null || !before || !this.shown) return;
        const at = (frame: Frame) => new THREE.Vector3().fromArray(frame.poses, 8 * (this.followed as number));
        this.stage.follow(at(this.shown.frame).sub(at(before)));
    }

    // At most ten times a second, since it draws everything once more.
    private lastLook = 0;
    private lookUnderPointer(): void {
        if (!this.pointer || this.clock - this.lastLook < 100) return;
        this.lastLook = this.clock;
        const body = this.stage.bodyAt(this.pointer.x, this.pointer.y);
        this.pointer = null;
        this.setHovered(body);
    }
    private setHovered(body: number | null): void {
        if (body === this.hovered) return;
        this.hovered = body;
        this.bodies.highlight(body);
        byId("hovered").textContent = body === null ? "" : `body ${body}: ${this.recording.bodies[body].name}`;
        this.stage.needsDrawing = true;
    }
    private toggleFollow(): void {
        this.followed = this.followed === null ? this.hovered : null;
        const button = byId("follow");
        button.setAttribute("aria-pressed", String(this.followed !== null));
        button.textContent = this.followed === null ? "follow" : `following ${this.followed}`;
    }

    private setTheme(isDark: boolean): void {
        document.documentElement.dataset.theme = isDark ? "dark" : "light";
        this.stage.setDark(isDark);
        this.plots.restyle();
    }
    private resize(): void {
        const canvas = byId("picture");
        this.stage.resize(canvas.clientWidth, canvas.clientHeight);
    }

    private connect(): void {
        const { player, stage } = this;
        const canvas = byId<HTMLCanvasElement>("picture");
        new ResizeObserver(() => this.resize()).observe(canvas);
        canvas.addEventListener("pointermove", (event) => {
            if (event.buttons === 0) this.pointer = { x: event.offsetX, y: event.offsetY };
        });
        canvas.addEventListener("pointerdown", (event) => (this.pointer = { x: event.offsetX, y: event.offsetY }));

        const scrub = byId<HTMLInputElement>("scrub");
        scrub.max = String(player.last);
        scrub.addEventListener("input", () => {
            player.isPlaying = false;
            player.go(Number(scrub.value));
        });
        const onClick = (id: string, act: () => void) => byId(id).addEventListener("click", act);
        const toggleTheme = () => this.setTheme(document.documentElement.dataset.theme !== "dark");
        onClick("play", () => player.toggle());
        onClick("back", () => player.step(-1));
        onClick("forward", () => player.step(1));
        onClick("fit", () => stage.fit(this.bounds));
        onClick("follow", () => this.toggleFollow());
        onClick("theme", toggleTheme);

        const onCheck = (id: string, act: (isOn: boolean) => void) => {
            const box = byId<HTMLInputElement>(id);
            box.addEventListener("change", () => {
                act(box.checked);
                stage.needsDrawing = true;
            });
        };
        onCheck("loop", (isOn) => (player.loops = isOn));
        onCheck("contacts", (isOn) => (this.marks.points.visible = isOn));
        onCheck("see-through", (isOn) => this.bodies.setSeeThrough(isOn));
        onCheck("normals", (isOn) => (this.marks.normals.visible = isOn));
        byId<HTMLSelectElement>("speed").addEventListener("change", (event) => {
            player.speed = Number((event.target as HTMLSelectElement).value);
        });

        const keys: Record<string, (event: KeyboardEvent) => void> = {
            " ": () => player.toggle(),
            ArrowLeft: (event) => player.step(event.shiftKey ? -10 : -1),
            ArrowRight: (event) => player.step(event.shiftKey ? 10 : 1),
            Home: () => player.step(-player.last),
            End: () => player.step(player.last),
            b: () => this.toggleFollow(),
            c: () => byId("contacts").click(),
            f: () => stage.fit(this.bounds),
            l: () => byId("loop").click(),
            n: () => byId("normals").click(),
            t: toggleTheme,
            x: () => byId("see-through").click(),
        };
        document.addEventListener("keydown", (event) => {
            // Controls keep the keys that are theirs.
            const target = event.target as HTMLElement;
            if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, input[type=range]")) return;
            if (event.key === " " && target.matches("button, input")) return;
            const act = keys[event.key];
            if (!act) return;
            event.preventDefault();
            act(event);
        });
    }
}
