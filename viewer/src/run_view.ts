// A run on the page: puts the recording, the picture, the plots and the controls together.
import * as THREE from "three";
import { BoxFinder } from "./body_boxes";
import { bodyFacts } from "./body_facts";
import { BodyMeshes } from "./body_meshes";
import { ContactMarks } from "./contact_marks";
import { connectControls } from "./controls";
import { byId, fillRows } from "./elements";
import { FieldSlice, readField } from "./field_slice";
import { drawLegend } from "./legend";
import { countText, lengthText, numberText } from "./lengths";
import type { About } from "./page_about";
import { Paths } from "./paths";
import { Player } from "./player";
import { type Plot, Plots } from "./plots";
import { type Frame, Recording } from "./recording";
import { boxOf, deepestOf, hidesMotion, typicalReach } from "./run_bounds";
import { plotsOf } from "./run_plots";
import type { RunSource } from "./run_source";
import { fillSeries, makeSeries } from "./series";
import { chooseDetail, type Detail } from "./simplify_mesh";
import { noticeOf } from "./notice";
import { Stage } from "./stage";
import { readSteps } from "./step_table";

// Triangles that are drawn in time; a graphics card draws more than a processor.
const softwareBudget = 45_000;
const hardwareBudget = 5_000_000;

export async function openRun(source: RunSource, about: About): Promise<void> {
    const recording = await Recording.open(source);
    const [first, last] = [await recording.frame(0), await recording.frame(recording.frameCount - 1)];
    const fields = recording.meshes.map(() => null as Awaited<ReturnType<typeof readField>> | null);
    for (const entry of about.fields ?? []) fields[entry.shape] = await readField(entry);
    const stage = new Stage(byId<HTMLCanvasElement>("picture"));
    const counts = recording.meshes.map((_, shape) => recording.bodies.filter((body) => body.shape === shape && body.motion !== "cloth").length);
    const detail = chooseDetail(recording.meshes, counts, stage.isSoftware ? softwareBudget : hardwareBudget);
    const bounds = boxOf(recording, [first, last]);
    const view = new RunView(recording, about, stage, detail, bounds, new FieldSlice(recording, fields, bounds), first, last);
    (window as unknown as { grazeRun: RunView }).grazeRun = view; // for tests
    await view.show();
}

export class RunView {
    readonly bodies: BodyMeshes;
    readonly marks: ContactMarks;
    readonly paths: Paths;
    readonly player: Player;
    private readonly series;
    private readonly plots: Plots;
    shown: { index: number; frame: Frame; next: Frame } | null = null;
    private awaited = -1; // the frame that is being decoded
    followed: number | null = null;
    chosen: number | null = null;
    hovered: number | null = null;
    pointer: { x: number; y: number } | null = null;
    private clock = 0;
    drawnCount = 0; // pictures since the page was opened

    constructor(
        readonly recording: Recording,
        readonly about: About,
        readonly stage: Stage,
        readonly detail: Detail,
        readonly bounds: THREE.Box3,
        readonly slice: FieldSlice,
        first: Frame,
        last: Frame,
    ) {
        this.bodies = new BodyMeshes(recording, detail.meshes, slice.cut, stage.isSoftware);
        this.series = makeSeries(recording, about.is_step === true);
        this.player = new Player(this.series.times);
        const size = bounds.getSize(new THREE.Vector3()).length();
        const normalLength = Math.min(typicalReach(recording, first), 0.05 * size);
        const deepest = Math.max(deepestOf(first), deepestOf(last));
        this.marks = new ContactMarks(normalLength, deepest, about.is_step === true, stage.renderer.getPixelRatio());
        this.paths = new Paths(recording, about, new BoxFinder(recording));
        const lines = [this.paths.tracks, this.paths.body, this.paths.rays, this.paths.pairs, this.marks.normals];
        stage.add([this.bodies.group, slice.mesh, this.marks.points, ...lines.map((line) => line.mesh)], this.bodies.numbered);
        const isStill = recording.frameCount === 1;
        byId("plots").parentElement?.classList.toggle("still", isStill);
        const plots = isStill ? [] : plotsOf(this.series, readSteps());
        this.plots = new Plots(byId("plots"), plots, about.time_unit ?? (about.is_step ? "" : "s"), (time) => {
            this.player.isPlaying = false;
            this.player.goToTime(time);
        });
        byId("title").textContent = recording.sceneName || "graze";
        document.title = `${recording.sceneName || "run"} - graze`;
        byId("deepest-row").hidden = about.is_step === true;
        byId("body-count").textContent = countText(recording.bodies.length);
        const notice = noticeOf(recording, about, detail);
        byId("notice").textContent = notice;
        byId("notice").hidden = notice === "";
        connectControls(this);
        if (hidesMotion(recording, [first, last])) byId("see-through").click();
    }

    async show(): Promise<void> {
        await this.load(0);
        this.resize();
        this.stage.fit(this.bounds);
        this.setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
        requestAnimationFrame((now) => this.tick(now));
        await this.paths.showTracks();
        await fillSeries(this.recording, this.series, this.about.rounding?.contact_counts, () => {
            const { known, times } = this.series;
            this.plots.update((plot: Plot) => (plot.times === times ? known : plot.times.length));
            const deepest = this.series.deepest.reduce((a, b) => Math.max(a, b), 0);
            if (deepest > this.marks.deepest) {
                this.marks.deepest = deepest;
                this.showContacts();
            }
            drawLegend(this.marks.deepest, this.about.is_step === true);
        }).catch((error: Error) => this.say(error));
        this.stage.needsDrawing = true;
        document.documentElement.dataset.ready = "all"; // tests wait for it
    }

    // What went wrong while the run is shown, such as a block that is altered.
    private say(error: Error): void {
        this.player.isPlaying = false;
        byId("notice").textContent = `The run is shown as far as it goes: ${error.message}.`;
        byId("notice").hidden = false;
    }

    private async load(index: number): Promise<void> {
        this.awaited = index;
        const found = await this.framesAt(index).catch((error: Error) => this.say(error));
        if (!found || this.awaited !== index) return; // another was asked for meanwhile
        const before = this.shown?.frame;
        this.shown = { index, ...found };
        this.bodies.set(found.frame, found.next, this.player.fraction);
        this.showContacts();
        this.showPairs();
        this.slice.update(found.frame, this.stage.camera.position);
        this.follow(before);
        this.showFacts();
        const count = this.about.rounding?.contact_counts[index] ?? found.frame.contacts.count;
        if (!this.about.is_step) byId("contact-count").textContent = countText(count);
        byId("deepest").textContent = lengthText(deepestOf(found.frame));
        this.stage.needsDrawing = true;
        document.documentElement.dataset.frame = String(index);
    }
    private async framesAt(index: number): Promise<{ frame: Frame; next: Frame }> {
        const frame = await this.recording.frame(index);
        return { frame, next: await this.recording.frame(Math.min(index + 1, this.player.last)) };
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
            if (this.about.is_step) this.showContacts();
            this.stage.needsDrawing = true;
        }
        this.lookUnderPointer();
        this.showClock();
        this.plots.showTime(this.player.time);
        if (this.stage.needsDrawing) {
            this.slice.face(this.stage.camera.position);
            this.stage.draw();
            ++this.drawnCount;
        }
        requestAnimationFrame((then) => this.tick(then));
    }

    // Where the run is one step: those that have touched by now.
    private showContacts(): void {
        if (!this.shown) return;
        this.marks.set(this.shown.frame.contacts, this.recording.frameCount > 1 ? this.player.time : Infinity);
        if (this.about.is_step) byId("contact-count").textContent = countText(this.marks.shownCount);
    }
    showPairs(): void {
        const isOn = this.paths.pairs.mesh.visible;
        byId("pair-row").hidden = !isOn;
        if (isOn && this.shown) byId("pair-count").textContent = countText(this.paths.showPairs(this.shown.frame));
        this.stage.needsDrawing = true;
    }
    // Where along the slice's axis the deepest contact is, as a fraction of the box; null where there is none.
    throughDeepest(): number | null {
        const contacts = this.shown?.frame.contacts;
        if (!contacts || contacts.count === 0) return null;
        const deepest = contacts.distances.reduce((best, distance, i, all) => (distance < all[best] ? i : best), 0);
        const { axis } = this.slice;
        const [low, high] = [this.bounds.min.getComponent(axis), this.bounds.max.getComponent(axis)];
        return Math.max(0, Math.min(1, (contacts.positions[3 * deepest + axis] - low) / Math.max(high - low, 1e-9)));
    }
    showSlice(): void {
        if (this.shown) this.slice.update(this.shown.frame, this.stage.camera.position);
        this.bodies.setCut(this.slice.mode !== "off");
        const { axis, at } = this.slice.plane();
        byId("slice-text").textContent = `at ${"xyz"[axis]} = ${numberText(at)} m; a line every ${lengthText(this.slice.spacing)}`;
        this.stage.needsDrawing = true;
    }

    private showClock(): void {
        const unit = this.about.is_step ? "of the step" : this.about.time_unit || "s";
        const text = `${this.player.time.toFixed(3)} ${unit}, frame ${this.player.index} of ${this.player.last}`;
        const clock = byId("clock");
        if (clock.textContent !== text) {
            clock.textContent = text;
            const scrub = byId<HTMLInputElement>("scrub");
            scrub.value = String(this.player.index);
            scrub.setAttribute("aria-valuetext", text);
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
        const at = (frame: Frame) => this.middleOf(this.followed as number, frame);
        this.stage.follow(at(this.shown.frame).sub(at(before)));
    }
    private middleOf(body: number, frame: Frame): THREE.Vector3 {
        const cloth = this.recording.clothBodies.indexOf(body);
        if (cloth < 0) return new THREE.Vector3().fromArray(frame.poses, 8 * body);
        return new THREE.Box3().setFromArray(frame.vertices[cloth]).getCenter(new THREE.Vector3());
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
    setHovered(body: number | null): void {
        if (body === this.hovered) return;
        this.hovered = body;
        this.bodies.highlight(body ?? this.chosen);
        this.showFacts();
        this.stage.needsDrawing = true;
    }
    // Stays chosen when the pointer goes on, and its path is shown.
    choose(body: number | null): void {
        this.chosen = body;
        this.bodies.highlight(this.hovered ?? body);
        void this.paths.showBody(body).then(() => (this.stage.needsDrawing = true));
        this.showFacts();
        this.stage.needsDrawing = true;
    }
    private showFacts(): void {
        const body = this.hovered ?? this.chosen;
        byId("body-part").hidden = body === null;
        if (body === null || !this.shown) return;
        byId("hovered").textContent = `body ${body}: ${this.recording.bodies[body].name}`;
        fillRows(byId("facts"), bodyFacts(this.recording, body, this.shown.frame, this.shown.next));
    }
    toggleFollow(body = this.chosen ?? this.hovered): void {
        this.followed = this.followed === null ? body : null;
        const button = byId("follow");
        button.setAttribute("aria-pressed", String(this.followed !== null));
        button.textContent = this.followed === null ? "follow" : `following ${this.followed}`;
        if (this.followed !== null && this.shown) this.stage.look(this.middleOf(this.followed, this.shown.frame));
    }

    setTheme(isDark: boolean): void {
        document.documentElement.dataset.theme = isDark ? "dark" : "light";
        this.stage.setDark(isDark);
        this.plots.restyle();
    }
    resize(): void {
        const canvas = byId("picture");
        this.stage.resize(canvas.clientWidth, canvas.clientHeight);
    }
}
