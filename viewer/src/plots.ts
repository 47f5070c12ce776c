// Time plots below the picture; a click or a drag goes to that time, and a line shows where the run is.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Line {
    name: string;
    values: ArrayLike<number>;
}
export interface Plot {
    title: string;
    text: (value: number) => string;
    times: ArrayLike<number>; // [s]
    lines: Line[];
}

const height = 104;
const colourCount = 4;

export class Plots {
    private readonly drawn: { plot: uPlot; source: Plot; mark: HTMLElement; values: HTMLElement[] }[] = [];
    private time = NaN;

    constructor(private readonly element: HTMLElement, plots: Plot[], private readonly unit: string, private readonly goTo: (time: number) => void) {
        for (const plot of plots) this.add(plot);
        new ResizeObserver(() => this.resize()).observe(element);
    }

    // Takes over so many of the numbers, which may have changed.
    update(known: (plot: Plot) => number): void {
        for (const { plot, source } of this.drawn) {
            const cut = (values: ArrayLike<number>) => Array.prototype.slice.call(values, 0, known(source)) as number[];
            plot.setData([cut(source.times), ...source.lines.map((line) => cut(line.values))]);
        }
        this.time = NaN;
    }
    // Moves the lines, which draws no plot anew.
    showTime(time: number): void {
        if (time === this.time) return;
        this.time = time;
        for (const { plot, source, mark, values } of this.drawn) {
            const x = plot.valToPos(time, "x");
            mark.style.transform = `translateX(${Math.max(0, Math.min(x, plot.over.clientWidth)) - 1}px)`;
            const index = indexAt(source.times, time);
            for (const [i, line] of source.lines.entries()) {
                const text = source.text(line.values[index] ?? 0);
                if (values[i].textContent !== text) values[i].textContent = text;
            }
        }
    }
    restyle(): void {
        for (const { plot } of this.drawn) plot.redraw(false);
    }

    private add(source: Plot): void {
        const room = document.createElement("div");
        this.element.append(room);
        const style = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
        const axis = {
            stroke: () => style("--text"),
            grid: { stroke: () => style("--line"), width: 0.5 },
            ticks: { show: false },
            font: "12px system-ui, sans-serif",
        };
        const plot = new uPlot(
            {
                width: 300,
                height,
                legend: { show: false },
                cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
                scales: { x: { time: false } },
                axes: [
                    { ...axis, size: 22, space: 70, values: (_, values) => values.map((v) => `${v} ${this.unit}`) },
                    { ...axis, size: 64, space: 26, values: (_, values) => values.map(source.text) },
                ],
                series: [
                    {},
                    ...source.lines.map((_, i) => ({
                        stroke: () => style(`--c${i % colourCount}`),
                        width: 1.2,
                        points: { show: false },
                    })),
                ],
            },
            [[], ...source.lines.map(() => [])],
            room,
        );
        const { title, values } = titleOf(source);
        room.prepend(title);
        const mark = document.createElement("div");
        mark.className = "time-mark";
        plot.over.append(mark);
        const go = (event: PointerEvent) => {
            const x = event.clientX - plot.over.getBoundingClientRect().left;
            this.goTo(plot.posToVal(x, "x"));
        };
        plot.over.addEventListener("pointerdown", (event) => {
            plot.over.setPointerCapture(event.pointerId);
            go(event);
        });
        plot.over.addEventListener("pointermove", (event) => {
            if (event.buttons & 1) go(event);
        });
        this.drawn.push({ plot, source, mark, values });
    }
    private resize(): void {
        const width = Math.floor(this.element.clientWidth / this.drawn.length);
        if (width > 0) for (const { plot } of this.drawn) plot.setSize({ width, height });
        this.time = NaN;
    }
}

// The last that is not after a time.
function indexAt(times: ArrayLike<number>, time: number): number {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= time + 1e-9) low = middle;
        else high = middle - 1;
    }
    return low;
}

// The title has each line's value now, in its colour where there are several.
function titleOf(source: Plot): { title: HTMLElement; values: HTMLElement[] } {
    const title = document.createElement("h2");
    const isOne = source.lines.length < 2;
    title.textContent = isOne ? `${source.title} ` : "";
    const values = source.lines.map((line, i) => {
        const name = document.createElement("span");
        if (!isOne) {
            name.textContent = `${line.name} `;
            name.style.color = `var(--c${i % colourCount})`;
            title.append(name);
        }
        const value = document.createElement("b");
        title.append(value, "  ");
        return value;
    });
    title.title = source.title;
    return { title, values };
}
