// Drives the page of a run in Chromium, with software rendering, and compares what is on the screen with what the
// recording says.
//   node viewer/test/browser.mjs ROOM CHROMIUM PAGE EMPTY_PAGE STEP_PAGE CLOTH_PAGE ADDRESS
// ROOM: where scripts/page keeps its packages; PAGE: with a run of which contacts have depths; EMPTY_PAGE: without a run;
// STEP_PAGE: of one time step, with paths; CLOTH_PAGE: with cloth; ADDRESS: where graze view serves the run of PAGE.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const address = process.argv.pop();
const [room, chromiumPath, pageFile, emptyPage, stepPage, clothPage] = process.argv.slice(2).map((path) => resolve(path));
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
    page.setDefaultTimeout(Number(process.env.PATIENCE ?? 120000));
    page.faults = [];
    page.on("console", (message) => {
        if (message.type() === "error") page.faults.push(message.text());
    });
    page.on("pageerror", (error) => page.faults.push(error.message));
    page.on("request", (request) => {
        if (/^(https?|wss?):/.test(request.url()) && !request.url().startsWith(address)) page.faults.push(`a request: ${request.url()}`);
    });
    await page.goto(file === address ? address : pathToFileURL(file).href);
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
await page.locator("#side summary").click(); // it lies over some
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
            const [x, y] = [Math.floor(pixel.x), Math.floor(pixel.y)];
            const isAround = [[2, 2], [-2, -2], [2, -2], [-2, 2]].every(([dx, dy]) => stage.bodyAt(x + dx, y + dy) === body);
            if (isAround && document.elementFromPoint(x, y) === canvas) spot = { x, y, body };
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
await page.locator("#side summary").click();
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
        const colours = marks.points.geometry.attributes.colour.array;
        for (let k = 0; k < contacts.count; ++k)
            if ([0, 1, 2].every((c) => Math.abs(255 * colours[3 * k + c] - pixel[c]) < 4)) {
                ++right;
                break;
            }
    }
    // The colours are those of the depths: yellow turns to violet, green goes down with depth.
    const green = Array.from({ length: contacts.count }, (_, i) => [contacts.distances[i], marks.points.geometry.attributes.colour.array[3 * i + 1]]);
    const deep = green.filter(([distance]) => distance <= 0).sort((a, b) => a[0] - b[0]);
    const isOrdered = deep.every(([, g], i) => i === 0 || g >= deep[i - 1][1] - 1e-6);
    return { isOrdered, right, asked, text: document.getElementById("contact-count").textContent, count: contacts.count };
});
expect(marks.asked > 0 && marks.right === marks.asked, `${marks.right} of ${marks.asked} contacts have the colour of a depth`);
expect(marks.isOrdered, "deeper contacts have darker colours");
expect(Number(marks.text) === marks.count, `${marks.text} contacts are named, ${marks.count} are there`);

await page.locator("#normals").check();

// Hovering names the body under the pointer, with its numbers; a click chooses it and shows its path.
await page.locator("#side summary").click();
await go(page, last);
await page.mouse.move(spot.x, spot.y);
await page.locator("#side summary").evaluate((summary) => summary.click());
await page.waitForFunction((body) => document.getElementById("hovered").textContent.startsWith(`body ${body}:`), spot.body);
const facts = await page.evaluate((body) => {
    const { shown } = window.grazeRun;
    return { text: document.getElementById("facts").textContent, x: shown.frame.poses[8 * body] };
}, spot.body);
expect(facts.text.includes(facts.x.toFixed(3).replace("-", "\u2212").slice(0, 5)), `the numbers of body ${spot.body} are: ${facts.text}`);
await page.mouse.click(spot.x, spot.y);
await page.waitForFunction((body) => window.grazeRun.chosen === body && window.grazeRun.paths.body.count > 0, spot.body);
await page.mouse.move(5, 300);
await page.waitForFunction((body) => document.getElementById("hovered").textContent.startsWith(`body ${body}:`), spot.body);
const target = () => page.evaluate(() => window.grazeRun.stage.controls.target.toArray());
await page.locator("#follow").click();
const followedFrom = await target();
await go(page, last >> 1);
expect((await target()).some((x, i) => Math.abs(x - followedFrom[i]) > 1e-3), "the camera follows a body");
await page.locator("#follow").click();
await page.locator("#fit").click();

// Pairs are those whose boxes touch, by asking all; each line is drawn.
await page.locator("#pairs").check();
const pairs = await page.evaluate(() => {
    const { recording, shown, paths } = window.grazeRun;
    const boxes = paths.boxes.boxes(shown.frame);
    let [count, outside] = [0, 0];
    const isFixed = (i) => recording.bodies[i].motion === "fixed";
    for (let a = 0; a < recording.bodies.length; ++a) {
        if (!shown.frame.isPresent[a]) continue;
        for (let b = a + 1; b < recording.bodies.length; ++b) {
            if (!shown.frame.isPresent[b] || (isFixed(a) && isFixed(b))) continue;
            if ([0, 1, 2].every((c) => boxes[6 * a + c] <= boxes[6 * b + 3 + c] && boxes[6 * b + c] <= boxes[6 * a + 3 + c])) ++count;
        }
        // Every vertex, placed by quaternion, is in its body's box.
        const { positions } = recording.meshes[recording.bodies[a].shape];
        const [x, y, z, w, i, j, k, scale] = shown.frame.poses.subarray(8 * a, 8 * a + 8);
        const camera = window.grazeRun.stage.camera;
        const turn = camera.quaternion.clone().set(i, j, k, w);
        for (let v = 0; v < positions.length; v += 3) {
            const p = camera.position.clone().fromArray(positions, v).multiplyScalar(scale).applyQuaternion(turn);
            const at = [p.x + x, p.y + y, p.z + z];
            if (!at.every((c, axis) => c >= boxes[6 * a + axis] - 1e-4 && c <= boxes[6 * a + 3 + axis] + 1e-4)) ++outside;
        }
    }
    return { count, outside, drawn: paths.pairs.count, text: document.getElementById("pair-count").textContent };
});
expect(pairs.count > 0 && pairs.count === pairs.drawn && Number(pairs.text) === pairs.count, `pairs: ${JSON.stringify(pairs)}`);
expect(pairs.outside === 0, `${pairs.outside} vertices are outside of their bodies' boxes`);
await page.locator("#pairs").uncheck();

// A slice through the balls' fields says how far they are, and cuts away what is before it.
await page.locator("#slice").selectOption("bodies");
await page.locator("#slice-axis").selectOption("2");
const slice = await page.evaluate(async () => {
    const { recording, shown, slice, showSlice } = window.grazeRun;
    const ball = recording.bodies.findIndex((body, i) => body.motion === "dynamic" && shown.frame.isPresent[i]);
    const place = shown.frame.poses.subarray(8 * ball, 8 * ball + 3);
    const { box } = slice;
    const scrub = document.getElementById("slice-at");
    scrub.value = String((place[2] - box.min.z) / (box.max.z - box.min.z));
    scrub.dispatchEvent(new Event("input"));
    const plane = slice.plane();
    // The texture's values along x through the ball's middle.
    const count = 192;
    const row = Math.floor(((place[1] - plane.low[1]) / (plane.high[1] - plane.low[1])) * count);
    const half = (bits) => { const e = (bits >> 10) & 31, m = bits & 1023; return (bits & 32768 ? -1 : 1) * (e === 0 ? m * 2 ** -24 : (1 + m / 1024) * 2 ** (e - 15)); };
    let [worst, known] = [0, 0];
    for (let column = 0; column < count; ++column) {
        const x = plane.low[0] + ((column + 0.5) / count) * (plane.high[0] - plane.low[0]);
        const y = plane.low[1] + ((row + 0.5) / count) * (plane.high[1] - plane.low[1]);
        const away = Math.hypot(x - place[0], y - place[1], plane.at - place[2]);
        if (away > 0.2) continue; // others may be nearer
        const texel = 4 * (row * count + column);
        if (slice.texels[texel + 1] === 0) continue;
        ++known;
        worst = Math.max(worst, Math.abs(half(slice.texels[texel]) - (away - 0.2)));
    }
    return { worst, known, visible: slice.mesh.visible, text: document.getElementById("slice-text").textContent };
});
expect(slice.visible && slice.known > 3 && slice.worst < 0.02, `a slice through a ball of 20 cm: ${JSON.stringify(slice)}`);
expect(/at z = .* a line every .*m/.test(slice.text), `the slice says: ${slice.text}`);
await page.locator("#slice").selectOption("off");

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
const reached = [];
for (let i = 0; i < 30; ++i) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id));
}
const controls = ["contacts", "normals", "pairs", "see-through", "slice", "play", "back", "forward", "scrub", "speed", "loop", "fit", "follow", "theme", "help"];
const inOrder = reached.filter((id, i) => controls.includes(id) && reached.indexOf(id) === i);
const begin0 = inOrder.indexOf("contacts");
expect([...inOrder.slice(begin0), ...inOrder.slice(0, begin0)].join() === controls.join(), `the tab key goes from ${inOrder.join(" to ")}`);
await page.locator("#picture").focus();
await page.keyboard.press("?");
expect(await page.locator("#keys").isVisible(), "the question mark lists the keys");
await page.keyboard.press("Escape");
const eyeAt = () => page.evaluate(() => window.grazeRun.stage.camera.position.toArray().join());
for (const key of ["a", "w", "+"]) {
    const was = await eyeAt();
    await page.keyboard.press(key);
    expect((await eyeAt()) !== was, `${key} moves the camera`);
}

// Text stands out from what is behind it, and so do the edges of controls, light and dark.
for (const _ of ["one theme", "the other"]) {
    await page.keyboard.press("t");
    const faint = await page.evaluate(() => {
        const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
        const light = ([r, g, b]) => {
            const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
            return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        };
        const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
        const ground = (element) => {
            for (let e = element; e; e = e.parentElement) {
                const colour = numbers(getComputedStyle(e).backgroundColor);
                if (colour.length === 3 || colour[3] === 1) return colour;
            }
            return [255, 255, 255];
        };
        const found = [];
        let asked = 0;
        for (const element of document.querySelectorAll("main *")) {
            if (!element.checkVisibility?.()) continue;
            const style = getComputedStyle(element);
            const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
            const name = `${element.tagName} ${element.id} ${element.textContent.slice(0, 20)}`;
            if (hasText) {
                ++asked;
                const own = ratio(numbers(style.color), ground(element));
                if (own < 4.5) found.push(`${name}: ${own.toFixed(2)}`);
            }
            if (element.matches("button, select")) {
                const edge = ratio(numbers(style.borderTopColor), ground(element.parentElement));
                if (edge < 3) found.push(`${name}: its edge ${edge.toFixed(2)}`);
            }
        }
        return { found, asked };
    });
    expect(faint.asked > 20 && faint.found.length === 0, `too little contrast: ${faint.found.join("; ")}`);
}
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

// A tap chooses a body, and two fingers come nearer. On a phone all controls are there.
const phone = await open(pageFile, { hasTouch: true, viewport: { width: 390, height: 760 } });
await go(phone, last);
await phone.evaluate(() => document.getElementById("see-through").checked || document.getElementById("see-through").click());
const tapped = await phone.evaluate(() => {
    const { stage, recording, shown } = window.grazeRun;
    for (const [body, entry] of recording.bodies.entries()) {
        if (entry.motion !== "dynamic" || !shown.frame.isPresent[body]) continue;
        const at = stage.project(stage.camera.position.clone().fromArray(shown.frame.poses, 8 * body));
        const isFree = at && document.elementFromPoint(at.x, at.y) === stage.renderer.domElement;
        if (isFree && stage.bodyAt(Math.floor(at.x), Math.floor(at.y)) === body) return { ...at, body };
    }
    return null;
});
await phone.touchscreen.tap(tapped.x, tapped.y);
await phone.waitForFunction((body) => window.grazeRun.chosen === body, tapped.body);
const distance = () => phone.evaluate(() => window.grazeRun.stage.camera.position.distanceTo(window.grazeRun.stage.controls.target));
const far = await distance();
const fingers = await phone.context().newCDPSession(phone);
const pinch = (type, apart) =>
    fingers.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x: 195 - apart, y: 300, id: 1 }, { x: 195 + apart, y: 300, id: 2 }],
    });
await pinch("touchStart", 30);
for (let i = 1; i <= 8; ++i) await pinch("touchMove", 30 + 8 * i);
await pinch("touchEnd");
await phone.waitForFunction((was) => window.grazeRun.stage.camera.position.distanceTo(window.grazeRun.stage.controls.target) < 0.9 * was, far);
const hidden = await phone.$$eval("nav button, nav select, nav input, #side summary", (all) =>
    all.filter((e) => { const r = e.getBoundingClientRect(); return r.width < 12 || r.left < 0 || r.right > innerWidth || r.bottom > innerHeight; }).map((e) => e.id),
);
expect(hidden.length === 0, `on a phone there is no room for ${hidden}`);
expect(phone.faults.length === 0, phone.faults.join("; "));
await phone.close();

// The page of a step shows contacts from their time on, and the paths of their points.
const step = await open(stepPage);
for (const frame of [0, 30, 60]) {
    await go(step, frame);
    const found = await step.evaluate(() => {
        const { shown, marks, player, paths } = window.grazeRun;
        return { shown: marks.shownCount, due: shown.frame.contacts.times.filter((time) => time <= player.time).length, paths: paths.tracks.count };
    });
    expect(found.shown === found.due && found.paths > 0, `frame ${frame} of a step: ${JSON.stringify(found)}`);
}
expect(await step.evaluate(() => { const t = window.grazeRun.shown.frame.contacts.times; return t.length > 0 && Math.max(...t) > Math.min(...t); }), "contacts of the step have times");
expect(step.faults.length === 0, step.faults.join("; "));
await step.close();

// Cloth is drawn where its vertices are.
const cloth = await open(clothPage);
await go(cloth, 6);
expect(
    await cloth.evaluate(() => {
        const { bodies, shown, recording } = window.grazeRun;
        return recording.clothBodies.length > 0 && bodies.cloth.every((own, i) => own.positions.array.every((x, k) => x === shown.frame.vertices[i][k]));
    }),
    "cloth is where its vertices are",
);
expect(cloth.faults.length === 0, cloth.faults.join("; "));
await cloth.close();

// A run that is served is the run of the page.
const [served, carried] = [await open(address), await open(pageFile)];
const sumOf = (one) => one.evaluate(async () => {
    const { recording } = window.grazeRun;
    const sums = [];
    for (const frame of [0, recording.frameCount >> 1, recording.frameCount - 1]) {
        const { poses, contacts } = await recording.frame(frame);
        sums.push([...poses, ...contacts.positions, ...contacts.distances].reduce((sum, x, i) => sum + x * ((i % 17) + 1), 0));
    }
    return sums.join();
});
expect((await sumOf(served)) === (await sumOf(carried)), "a served run is another than that of its page");
expect(served.faults.length === 0, served.faults.join("; "));
await served.close();
await carried.close();

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
const broken = await message(withRun(run.replace(/^.{20}/, "!".repeat(20))));
expect(broken.message.includes("cannot be shown") && broken.message.includes("altered"), `a broken run says: ${broken.message}`);
const lines = run.trim().split("\n");
const cut = await message(withRun(lines.slice(0, -1).join("\n")));
expect(cut.notice.includes("not complete") && cut.message === "" && cut.faults.length === 0, `a run cut off says: ${cut.message} ${cut.notice}`);
const altered = await message(withRun([...lines.slice(0, -1), lines.at(-1).replace(/^.{8}/, "AAAAAAAA")].join("\n")));
expect((altered.notice + altered.message).includes("altered"), `a run with an altered block says: ${altered.message} ${altered.notice}`);
// The file itself may end anywhere.
for (const part of [0.97, 0.8, 0.6]) {
    const file = join(scratch, "page.html");
    writeFileSync(file, text.slice(0, Math.floor(begin + part * (end - begin))));
    const found = await message(file);
    expect(/not complete|cut off/.test(found.notice + found.message) && found.faults.length === 0, `a page cut off says: ${JSON.stringify(found)}`);
}
writeFileSync(join(scratch, "page.html"), text.slice(0, text.indexOf('id="about">') + 60));
const headless = await message(join(scratch, "page.html"));
expect(headless.message.includes("cut off"), `a page without its run says: ${headless.message}`);

await browser.close();
if (failures > 0) {
    console.error(`browser: ${failures} failures`);
    process.exit(1);
}
console.log("browser: the page shows what the recording says");
