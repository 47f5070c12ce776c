// Pictures of pages for the documentation.
//   node viewer/test/pictures.mjs ROOM CHROMIUM RUNS IMAGES
// RUNS: where scripts/page-pictures has put pipe.html, slice.html and sweep.html; IMAGES: where the pictures go.
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [room, chromiumPath, runs, images] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = await import(pathToFileURL(join(room, "node_modules/playwright-core/index.mjs")).href);
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--enable-unsafe-swiftshader", "--no-sandbox"] });

// What is done on a page before it is drawn.
const select = (id, value) => {
    const control = document.getElementById(id);
    control.value = value;
    control.dispatchEvent(new Event(control.type === "range" ? "input" : "change"));
};
const pictures = [
    { name: "page", run: "pipe", frame: 440, choose: 7, scheme: "light" },
    { name: "page_slice", run: "slice", frame: 0, controls: [["slice", "overlap"], ["slice-axis", "1"]], scheme: "light", nearer: 1.5 },
    { name: "page_sweep", run: "sweep", frame: 52, scheme: "dark", nearer: 1.2 },
];
for (const { name, run, frame, choose, controls = [], scheme, nearer = 1 } of pictures) {
    const page = await browser.newPage({ viewport: { width: 1120, height: 660 }, colorScheme: scheme });
    page.setDefaultTimeout(120000);
    await page.goto(pathToFileURL(join(runs, `${run}.html`)).href);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "all");
    for (const [id, value] of controls) await page.evaluate(`(${select})(${JSON.stringify(id)}, ${JSON.stringify(value)})`);
    await page.evaluate(
        ({ frame, choose, nearer }) => {
            window.grazeRun.player.go(frame);
            window.grazeRun.stage.turn(0, 0, nearer);
            if (choose !== undefined) window.grazeRun.choose(choose);
        },
        { frame, choose, nearer },
    );
    await page.waitForFunction(
        (wanted) => document.documentElement.dataset.frame === String(wanted) && !window.grazeRun.stage.needsDrawing,
        frame,
    );
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(images, `${name}.png`) });
    await page.close();
}
await browser.close();
