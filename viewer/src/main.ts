// The page that plays a recording: the one that it carries, or a file that is dropped on it.
import "./page.css";
import { type About, readAbout } from "./page_about";
import { carriedSource, fileSource, type RunSource, servedSource } from "./run_source";
import { openRun } from "./run_view";

function show(message: string): void {
    const element = document.getElementById("message") as HTMLElement;
    element.textContent = message;
    element.hidden = false;
}

let isOpen = false;
async function open(read: () => RunSource | Promise<RunSource>): Promise<void> {
    try {
        if (isOpen) throw new Error("a run is open already: load the page again for another");
        const source = await read();
        isOpen = true;
        await openRun(source, about);
    } catch (error) {
        show(`This run cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
    }
}

let about: About = {};
try {
    about = readAbout();
} catch {
    about = { why_incomplete: "the page is cut off" };
}
const carried = document.getElementById("run")?.textContent ?? "";
const { blocks, served_blocks: served } = about;
if (blocks) {
    void open(() => carriedSource(carried, blocks, about.why_incomplete ?? ""));
} else if (served) {
    void open(() => servedSource(served, about.why_incomplete ?? ""));
} else if (about.why_incomplete) {
    show("This run cannot be shown: the page is cut off before its run; write it again.");
} else {
    show("This page carries no run. Drop a recording (.grec) here, or write a page with: graze export RUN.grec -o RUN.html");
}

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    (document.getElementById("message") as HTMLElement).hidden = true;
    void open(async () => fileSource(new Uint8Array(await file.arrayBuffer())));
});
