// Drives the page of a run in Chromium, with software rendering, and compares what is on the screen with what the
// recording says.
//   node viewer/test/browser.mjs ROOM CHROMIUM PAGE EMPTY_PAGE
// ROOM: where scripts/page keeps its packages; PAGE: with a run of which contacts have depths; EMPTY_PAGE: without a run.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [room, chromiumPath, pageFile, emptyPage] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = await import(pathToFileURL(join(room, "node_modules/playwright-core/index.mjs")).href);
const scratch = mkdtempSync(join(tmpdir(), "graze-page-"));

let failures = 0;
function expect(condition, text) {
    if (condition) return;
    ++failures;
    console.error(`FAILED: ${text}`);
}

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--enable-unsafe-swiftshader", "--no-sandbox"] });
async function open(file, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, ...options });
    page.setDefaultTimeout(120000);
    page.faults = [];
    page.on("console", (message) => {
        if (message.type() === "error") page.faults.push(message.text());
    });
    page.on("pageerror", (error) => page.faults.push(error.message));
    page.on("request", (request) => {
        if (/^(https?|wss?):/.test(request.url())) page.faults.push(`a request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(
        () => document.documentElement.dataset.ready === "all" || !document.getElementById("message").hidden,
    );
    return page;
}
// Waits until the frame is on the screen.
async function go(page, frame) {
    await page.locator("#scrub").evaluate((scrub, index) => {
        scrub.value = String(index);
        scrub.dispatchEvent(new Event("input"));
    }, frame);
    await page.waitForFunction(
        (index) => document.documentElement.dataset.frame === String(index) && !window.grazeRun.stage.needsDrawing,
        frame,
    );
}

const page = await open(pageFile);
const last = await page.evaluate(() => window.grazeRun.player.last);
expect(last > 20, "the run of the test is too short to say anything");
expect(await page.locator("#message").isHidden(), "a message covers a sound run");

// Every body is where its pose says: the pixel at its place has its number, but for bodies behind others. Those that never
// move are seen through.
await page.locator("#see-through").check();
let spot = null;
for (const frame of [0, Math.floor(last / 2), last]) {
    await go(page, frame);
    const found = await page.evaluate(async () => {
        const { stage, recording, shown } = window.grazeRun;
        let [seen, asked, spot] = [0, 0, null];
        for (let body = 0; body < recording.bodies.length; ++body) {
            if (recording.bodies[body].motion !== "dynamic" || !shown.frame.isPresent[body]) continue;
            const place = stage.camera.position.clone().fromArray(shown.frame.poses, 8 * body);
            const pixel = stage.project(place);
            if (!pixel) continue;
            ++asked;
            if (stage.bodyAt(Math.floor(pixel.x), Math.floor(pixel.y)) !== body) continue;
            ++seen;
            const canvas = stage.renderer.domElement;
            if (document.elementFromPoint(pixel.x, pixel.y) === canvas) spot = { x: pixel.x, y: pixel.y, body };
        }
        return { seen, asked, spot, bodies: document.getElementById("body-count").textContent };
    });
    expect(found.asked > 0 && found.seen >= found.asked / 2, `frame ${frame}: ${found.seen} of ${found.asked} bodies are where they are`);
    spot = found.spot;
}

// Contacts are drawn where they are, in the colour of their depth.
const withContacts = await page.evaluate(async () => {
    const { recording, player } = window.grazeRun;
    for (let frame = player.last; frame > 0; --frame) if ((await recording.frame(frame)).contacts.count > 0) return frame;
    return -1;
});
expect(withContacts > 0, "no frame of the test has contacts");
await go(page, withContacts);
await page.locator("#normals").uncheck(); // lines would lie over points
const marks = await page.evaluate(() => {
    const { stage, shown, marks } = window.grazeRun;
    const gl = stage.renderer.getContext();
    const ratio = stage.renderer.getPixelRatio();
    stage.needsDrawing = true;
    stage.draw();
    const { contacts } = shown.frame;
    const point = stage.camera.position.clone();
    let [right, asked] = [0, 0];
    for (let i = 0; i < contacts.count; ++i) {
        const place = stage.project(point.fromArray(contacts.positions, 3 * i));
        if (!place) continue;
        ++asked;
        const pixel = new Uint8Array(4);
        gl.readPixels(Math.floor(place.x * ratio), gl.drawingBufferHeight - 1 - Math.floor(place.y * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        // Where marks lie over each other, the one drawn last is seen: any contact's colour will do.
        const colours = marks.points.geometry.attributes.color.array;
        const encoded = (c) => 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
        for (let k = 0; k < contacts.count; ++k)
            if ([0, 1, 2].every((c) => Math.abs(encoded(colours[3 * k + c]) - pixel[c]) < 4)) {
                ++right;
                break;
            }
    }
    return { right, asked, text: document.getElementById("contact-count").textContent, count: contacts.count };
});
expect(marks.asked > 0 && marks.right === marks.asked, `${marks.right} of ${marks.asked} contacts have the colour of a depth`);
expect(Number(marks.text) === marks.count, `${marks.text} contacts are named, ${marks.count} are there`);

await page.locator("#normals").check();

// Hovering names the body under the pointer.
await go(page, last);
await page.mouse.move(spot.x, spot.y);
await page.waitForFunction((body) => document.getElementById("hovered").textContent.startsWith(`body ${body}:`), spot.body);

// Keys: frame by frame, play and pause, theme, and focus on every control.
await go(page, 5);
await page.locator("#picture").focus();
const index = () => page.evaluate(() => window.grazeRun.player.index);
await page.keyboard.press("ArrowRight");
expect((await index()) === 6, "the right arrow goes one frame on");
await page.keyboard.press("Shift+ArrowLeft");
expect((await index()) === 0, "shift and left arrow go ten frames back, to the first");
await page.keyboard.press(" ");
await page.waitForFunction(() => window.grazeRun.player.index > 3);
await page.keyboard.press(" ");
const paused = await index();
await page.waitForTimeout(300);
expect((await index()) === paused, "space pauses");
const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
const before = await theme();
await page.keyboard.press("t");
expect((await theme()) !== before, "t changes the theme");
const reached = new Set();
for (let i = 0; i < 30; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id));
}
for (const id of ["back", "play", "forward", "scrub", "speed", "loop", "contacts", "normals", "see-through", "fit", "follow", "theme"])
    expect(reached.has(id), `the tab key reaches ${id}`);
const nameless = await page.$$eval("button, input, select", (all) =>
    all.filter((e) => !e.ariaLabel && !e.closest("label") && !e.textContent.trim()).map((e) => e.id),
);
expect(nameless.length === 0, `controls without a name: ${nameless}`);
expect(page.faults.length === 0, page.faults.join("; "));
await page.close();

// Touch: a drag turns the picture.
const touch = await open(pageFile, { hasTouch: true });
const eye = () => touch.evaluate(() => window.grazeRun.stage.camera.position.toArray());
const from = await eye();
const session = await touch.context().newCDPSession(touch);
const drag = (type, x, y) => session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
await drag("touchStart", 500, 300);
for (let i = 1; i <= 10; ++i) await drag("touchMove", 500 + 12 * i, 300);
await drag("touchEnd");
await touch.waitForFunction((was) => Math.hypot(...window.grazeRun.stage.camera.position.toArray().map((x, i) => x - was[i])) > 1e-3, from);
expect(touch.faults.length === 0, touch.faults.join("; "));
await touch.close();

// What cannot be shown is said in words; what is there of a run that was cut off is shown.
const text = readFileSync(pageFile, "utf8");
const place = '<script type="application/octet-stream" id="run">';
const begin = text.indexOf(place) + place.length;
const end = text.indexOf("</script>", begin);
const withRun = (run) => {
    const file = join(scratch, "page.html");
    writeFileSync(file, text.slice(0, begin) + run + text.slice(end));
    return file;
};
const run = text.slice(begin, end);
const message = async (file) => {
    const opened = await open(file);
    const found = { message: await opened.textContent("#message"), notice: await opened.textContent("#notice"), faults: opened.faults };
    await opened.close();
    return found;
};
const empty = await message(emptyPage);
expect(empty.message.includes("carries no run"), `an empty page says: ${empty.message}`);
const broken = await message(withRun("!" + run.slice(1)));
expect(broken.message.includes("cannot be shown"), `a broken run says: ${broken.message}`);
const other = await message(withRun(btoa("not a recording at all")));
expect(other.message.includes("no recording of graze"), `another file says: ${other.message}`);
const cut = await message(withRun(run.slice(0, 4 * Math.floor(0.24 * run.length))));
expect(cut.notice.includes("not complete") && cut.faults.length === 0, `a run cut off says: ${cut.message} ${cut.notice}`);

await browser.close();
if (failures > 0) {
    console.error(`browser: ${failures} failures`);
    process.exit(1);
}
console.log("browser: the page shows what the recording says");
