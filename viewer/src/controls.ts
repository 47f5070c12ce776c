// Buttons, keys, pointer and touch of the page.
import { byId } from "./elements";
import type { SliceMode } from "./field_slice";
import type { RunView } from "./run_view";

interface Key {
    keys: string[]; // as events name them
    shown: string;
    meaning: string;
    act: (event: KeyboardEvent) => void;
}

const turnStep = 0.08; // [rad]

export function connectControls(view: RunView): void {
    const { player, stage } = view;
    connectPointer(view);
    connectOptions(view);
    connectSlice(view);

    const scrub = byId<HTMLInputElement>("scrub");
    scrub.max = String(player.last);
    scrub.addEventListener("input", () => {
        player.isPlaying = false;
        player.go(Number(scrub.value));
    });
    const onClick = (id: string, act: () => void) => byId(id).addEventListener("click", act);
    const toggleTheme = () => view.setTheme(document.documentElement.dataset.theme !== "dark");
    const keyList = byId<HTMLDialogElement>("keys");
    onClick("play", () => player.toggle());
    onClick("back", () => player.step(-1));
    onClick("forward", () => player.step(1));
    onClick("fit", () => stage.fit(view.bounds));
    onClick("follow", () => view.toggleFollow());
    onClick("theme", toggleTheme);
    onClick("help", () => keyList.showModal());

    const speed = byId<HTMLSelectElement>("speed");
    speed.addEventListener("change", () => (player.speed = Number(speed.value)));
    const changeSpeed = (by: number) => {
        speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + by));
        player.speed = Number(speed.value);
    };
    const nextSlice = () => {
        const select = byId<HTMLSelectElement>("slice");
        if (!view.slice.isThere) return;
        select.selectedIndex = (select.selectedIndex + 1) % select.length;
        select.dispatchEvent(new Event("change"));
    };
    connectKeys([
        { keys: [" "], shown: "space", meaning: "play, pause", act: () => player.toggle() },
        { keys: ["ArrowLeft"], shown: "\u2190", meaning: "a frame back; with shift ten", act: (e) => player.step(e.shiftKey ? -10 : -1) },
        { keys: ["ArrowRight"], shown: "\u2192", meaning: "a frame on; with shift ten", act: (e) => player.step(e.shiftKey ? 10 : 1) },
        { keys: ["Home"], shown: "home", meaning: "the first frame", act: () => player.step(-player.last) },
        { keys: ["End"], shown: "end", meaning: "the last frame", act: () => player.step(player.last) },
        { keys: ["["], shown: "[", meaning: "slower", act: () => changeSpeed(-1) },
        { keys: ["]"], shown: "]", meaning: "faster", act: () => changeSpeed(1) },
        { keys: ["l"], shown: "l", meaning: "loop", act: () => byId("loop").click() },
        { keys: ["f"], shown: "f", meaning: "show all", act: () => stage.fit(view.bounds) },
        { keys: ["b"], shown: "b", meaning: "follow the chosen body, or stop", act: () => view.toggleFollow() },
        { keys: ["a"], shown: "a", meaning: "turn left", act: () => stage.turn(-turnStep, 0, 1) },
        { keys: ["d"], shown: "d", meaning: "turn right", act: () => stage.turn(turnStep, 0, 1) },
        { keys: ["w"], shown: "w", meaning: "turn up", act: () => stage.turn(0, turnStep, 1) },
        { keys: ["s"], shown: "s", meaning: "turn down", act: () => stage.turn(0, -turnStep, 1) },
        { keys: ["+", "="], shown: "+", meaning: "nearer", act: () => stage.turn(0, 0, 1.1) },
        { keys: ["-"], shown: "\u2212", meaning: "farther", act: () => stage.turn(0, 0, 1 / 1.1) },
        { keys: ["c"], shown: "c", meaning: "contacts", act: () => byId("contacts").click() },
        { keys: ["n"], shown: "n", meaning: "normals", act: () => byId("normals").click() },
        { keys: ["p"], shown: "p", meaning: "pairs of bodies whose boxes touch", act: () => byId("pairs").click() },
        { keys: ["x"], shown: "x", meaning: "see through what never moves", act: () => byId("see-through").click() },
        { keys: ["i"], shown: "i", meaning: "slice through the fields: next kind", act: nextSlice },
        { keys: ["t"], shown: "t", meaning: "light or dark", act: toggleTheme },
        { keys: ["?"], shown: "?", meaning: "this list", act: () => keyList.showModal() },
    ]);
}

function connectKeys(list: Key[]): void {
    for (const key of list) {
        const row = byId<HTMLTableElement>("key-table").insertRow();
        const name = document.createElement("kbd");
        name.textContent = key.shown;
        row.insertCell().append(name);
        row.insertCell().textContent = key.meaning;
    }
    const byName = new Map(list.flatMap((key) => key.keys.map((name) => [name, key] as const)));
    document.addEventListener("keydown", (event) => {
        // Controls keep the keys that are theirs.
        const target = event.target as HTMLElement;
        const isOpen = byId<HTMLDialogElement>("keys").open;
        if (isOpen || event.ctrlKey || event.metaKey || event.altKey || target.matches("select, input[type=range]")) return;
        if (event.key === " " && target.matches("button, input, summary")) return;
        const key = byName.get(event.key);
        if (!key) return;
        event.preventDefault();
        key.act(event);
    });
}

function connectPointer(view: RunView): void {
    const canvas = byId<HTMLCanvasElement>("picture");
    new ResizeObserver(() => view.resize()).observe(canvas);
    let pressed: { x: number; y: number } | null = null;
    canvas.addEventListener("pointermove", (event) => {
        if (event.buttons === 0) view.pointer = { x: event.offsetX, y: event.offsetY };
    });
    canvas.addEventListener("pointerleave", () => {
        view.pointer = null;
        view.setHovered(null);
    });
    canvas.addEventListener("pointerdown", (event) => (pressed = { x: event.offsetX, y: event.offsetY }));
    canvas.addEventListener("pointerup", (event) => {
        // A drag turns the picture and chooses nothing.
        if (!pressed || Math.hypot(event.offsetX - pressed.x, event.offsetY - pressed.y) > 5) return;
        view.choose(view.stage.bodyAt(event.offsetX, event.offsetY));
    });
    canvas.addEventListener("dblclick", (event) => {
        const body = view.stage.bodyAt(event.offsetX, event.offsetY);
        if (body !== null) view.toggleFollow(body);
    });
}

function connectOptions(view: RunView): void {
    const onCheck = (id: string, act: (isOn: boolean) => void) => {
        const box = byId<HTMLInputElement>(id);
        box.addEventListener("change", () => {
            act(box.checked);
            view.stage.needsDrawing = true;
        });
    };
    onCheck("loop", (isOn) => (view.player.loops = isOn));
    onCheck("contacts", (isOn) => (view.marks.points.visible = isOn));
    onCheck("normals", (isOn) => (view.marks.normals.mesh.visible = isOn));
    onCheck("see-through", (isOn) => view.bodies.setSeeThrough(isOn));
    onCheck("paths", (isOn) => (view.paths.tracks.mesh.visible = isOn));
    onCheck("rays", (isOn) => (view.paths.rays.mesh.visible = isOn));
    onCheck("pairs", (isOn) => {
        view.paths.pairs.mesh.visible = isOn;
        view.showPairs();
    });
    byId("paths-label").hidden = !view.paths.hasTracks;
    byId("rays-label").hidden = view.paths.rays.count === 0;
    // There is little room on a phone.
    if (window.innerWidth <= 720) byId<HTMLDetailsElement>("side").open = false;
}

function connectSlice(view: RunView): void {
    byId("slice-part").hidden = !view.slice.isThere;
    const mode = byId<HTMLSelectElement>("slice");
    const axis = byId<HTMLSelectElement>("slice-axis");
    const at = byId<HTMLInputElement>("slice-at");
    const update = () => {
        // A slice begins where the deepest contact is.
        const isNew = view.slice.mode === "off" || view.slice.axis !== Number(axis.value);
        view.slice.mode = mode.value as SliceMode;
        view.slice.axis = Number(axis.value);
        if (isNew) at.value = String(view.throughDeepest() ?? at.value);
        view.slice.fraction = Number(at.value);
        byId("slice-options").hidden = view.slice.mode === "off";
        view.showSlice();
    };
    for (const control of [mode, axis]) control.addEventListener("change", update);
    at.addEventListener("input", update);
}
