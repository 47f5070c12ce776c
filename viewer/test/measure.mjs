// Measures a page in Chromium with software rendering at 1280 x 720: how large it is, how many pictures a second it draws
// while it plays, and how long it takes from a scrub to the picture.
//   node viewer/test/measure.mjs ROOM CHROMIUM PAGE EMPTY_PAGE
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [room, chromiumPath, pageFile, emptyPage] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = await import(pathToFileURL(join(room, "node_modules/playwright-core/index.mjs")).href);

const text = readFileSync(pageFile, "utf8");
const about = JSON.parse(text.split('id="about">')[1].split("</script>")[0]);
const meshes = 4 * Math.ceil(about.blocks[0][0] / 3);
console.log(`page's code: ${statSync(emptyPage).size} bytes; page: ${text.length}, beyond its meshes ${text.length - meshes}`);

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--enable-unsafe-swiftshader", "--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
page.setDefaultTimeout(180000);
await page.goto(pathToFileURL(pageFile).href);
await page.waitForFunction(() => document.documentElement.dataset.ready === "all");
const name = await page.evaluate(() => {
    const gl = window.grazeRun.stage.renderer.getContext();
    return gl.getParameter(gl.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
});
console.log(`${browser.version()}, ${name}, load ${readFileSync("/proc/loadavg", "utf8").split(" ")[0]}`);

// [s] of processor that all processes of the browser have taken.
function processorSeconds() {
    const rows = execFileSync("ps", ["-eo", "pid,ppid,cputimes,args"], { encoding: "utf8" }).split("\n").slice(1);
    const all = rows.map((row) => row.trim().split(/\s+/)).map(([pid, ppid, seconds]) => ({ pid, ppid, seconds: Number(seconds) }));
    const own = new Set([String(process.pid)]);
    for (let grew = true; grew; ) {
        grew = false;
        for (const { pid, ppid } of all) if (own.has(ppid) && !own.has(pid)) grew = !!own.add(pid);
    }
    return all.filter(({ pid }) => own.has(pid) && pid !== String(process.pid)).reduce((sum, { seconds }) => sum + seconds, 0);
}
for (let turn = 0; turn < 5; ++turn) {
    const before = processorSeconds();
    const { pictures, seconds } = await page.evaluate(async () => {
        const run = window.grazeRun;
        run.player.go(200);
        run.player.toggle();
        const [count, start] = [run.drawnCount, performance.now()];
        await new Promise((resume) => setTimeout(resume, 6000));
        run.player.toggle();
        return { pictures: run.drawnCount - count, seconds: (performance.now() - start) / 1000 };
    });
    const used = processorSeconds() - before;
    console.log(`plays at ${(pictures / seconds).toFixed(1)} pictures a second; ${((1000 * used) / pictures).toFixed(0)} ms of processor each`);
}
const scrubs = await page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 30; ++i) {
        const frame = String((i * 97) % window.grazeRun.player.last);
        const scrub = document.getElementById("scrub");
        await new Promise(requestAnimationFrame);
        const [start, count] = [performance.now(), window.grazeRun.drawnCount];
        scrub.value = frame;
        scrub.dispatchEvent(new Event("input"));
        let pictures = 0;
        while (document.documentElement.dataset.frame !== frame || window.grazeRun.drawnCount === count) {
            await new Promise(requestAnimationFrame);
            ++pictures;
        }
        times.push({ milliseconds: performance.now() - start, pictures });
    }
    return times.sort((a, b) => a.milliseconds - b.milliseconds);
});
const middle = scrubs[scrubs.length >> 1];
const most = scrubs[scrubs.length - 1];
console.log(`a scrub shows its frame after ${middle.milliseconds.toFixed(0)} ms (the middle of 30), at most ${most.milliseconds.toFixed(0)} ms; after ${middle.pictures} turns of the page's loop`);
await browser.close();
