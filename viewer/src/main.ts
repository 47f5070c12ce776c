// The page that plays a recording: the one that it carries, or a file that is dropped on it.
import "./page.css";
import { openRun } from "./run_view";

function show(message: string): void {
    const element = document.getElementById("message") as HTMLElement;
    element.textContent = message;
    element.hidden = false;
}

function bytesOfBase64(text: string): Uint8Array {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

let isOpen = false;
async function open(read: () => Uint8Array | Promise<Uint8Array>): Promise<void> {
    try {
        if (isOpen) throw new Error("a run is open already: load the page again for another");
        const file = await read();
        isOpen = true;
        await openRun(file);
    } catch (error) {
        show(`This run cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
    }
}

const carried = document.getElementById("run")?.textContent?.trim() ?? "";
if (carried) {
    void open(() => {
        try {
            return bytesOfBase64(carried);
        } catch {
            throw new Error("what the page carries is cut off or altered; write the page again");
        }
    });
} else {
    show("This page carries no run. Drop a recording (.grec) here, or write a page with: graze export RUN.grec -o RUN.html");
}

document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    (document.getElementById("message") as HTMLElement).hidden = true;
    void open(async () => new Uint8Array(await file.arrayBuffer()));
});
