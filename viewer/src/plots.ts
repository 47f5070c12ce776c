// Time plots below the picture; a click goes to that time, and a line shows where the run is.
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

const height = 110;
const colours = ["var(--mark)", "#d2691e", "#2e8b57", "#9a5fb5", "#b8860b", "#7d8590"];

export class Plots {
    private readonly drawn: { plot: uPlot; source: Plot }[] = [];
    private time = 0;

    constructor(private readonly element: HTMLElement, plots: Plot[], private readonly goTo: (time: number) => void) {
        for (const plot of plots) this.add(plot);
        new ResizeObserver(() => this.resize()).observe(element);
    }

    // Takes over so many of the numbers, which may have changed.
    update(known: (plot: Plot) => number): void {
        for (const { plot, source } of this.drawn) {
            const cut = (values: ArrayLike<number>) => Array.prototype.slice.call(values, 0, known(source)) as number[];
            plot.setData([cut(source.times), ...source.lines.map((line) => cut(line.values))]);
        }
    }
    showTime(time: number): void {
        if (time === this.time) return;
        this.time = time;
        this.restyle();
    }
    restyle(): void {
        for (const { plot } of this.drawn) plot.redraw(false);
    }

    private add(source: Plot): void {
        const room = document.createElement("div");
        this.element.append(room);
        const style = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
        const colour = (i: number) => (i === 0 ? style("--mark") : colours[i % colours.length]);
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
                cursor: { y: false, drag: { x: false, y: false } },
                scales: { x: { time: false } },
                axes: [
                    { ...axis, size: 22, values: (_, values) => values.map((v) => `${v} s`) },
                    { ...axis, size: 62, values: (_, values) => values.map(source.text) },
                ],
                series: [
                    {},
                    ...source.lines.map((_, i) => ({ stroke: () => colour(i), width: 1, points: { show: false } })),
                ],
                hooks: { draw: [(drawn) => this.drawTime(drawn)] },
            },
            [[], ...source.lines.map(() => [])],
            room,
        );
        room.prepend(titleOf(source));
        plot.over.addEventListener("click", () => {
            const { left } = plot.cursor;
            if (left !== undefined && left >= 0) this.goTo(plot.posToVal(left, "x"));
        });
        this.drawn.push({ plot, source });
    }
    private drawTime(plot: uPlot): void {
        const x = Math.round(plot.valToPos(this.time, "x", true));
        const { left, top, width, height: tall } = plot.bbox;
        if (!(x >= left && x <= left + width)) return;
        plot.ctx.fillStyle = "#e0531f";
        plot.ctx.fillRect(x - 1, top, 2, tall);
    }
    private resize(): void {
        const width = Math.floor(this.element.clientWidth / this.drawn.length);
        if (width > 0) for (const { plot } of this.drawn) plot.setSize({ width, height });
    }
}

// The title names the lines in their colours where there are several.
function titleOf(source: Plot): HTMLElement {
    const title = document.createElement("h2");
    title.textContent = source.lines.length > 1 ? `${source.title}: ` : source.title;
    if (source.lines.length < 2) return title;
    for (const [i, line] of source.lines.entries()) {
        const name = document.createElement("span");
        name.textContent = `${line.name} `;
        name.style.color = colours[i % colours.length];
        title.append(name);
    }
    return title;
}
