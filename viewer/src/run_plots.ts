// Which plots a run has: what its frames say, and what its steps say where the page carries them.
import { countText, lengthText } from "./lengths";
import type { Plot } from "./plots";
import type { Series } from "./series";
import type { StepTable } from "./step_table";

const energyText = (joules: number) => `${Number(joules.toPrecision(3))} J`;
const millisecondText = (value: number) => `${Number(value.toPrecision(3))} ms`;

export function plotsOf(series: Series, steps: StepTable | null): Plot[] {
    const { times } = series;
    if (series.isStep) return [{ title: "contacts", text: countText, times, lines: [{ name: "contacts", values: series.contacts }] }];
    const plots: Plot[] = [
        { title: "contacts", text: countText, times, lines: [{ name: "contacts", values: series.contacts }] },
        { title: "deepest penetration", text: lengthText, times, lines: [{ name: "deepest", values: series.deepest }] },
        { title: "bodies that move", text: countText, times, lines: [{ name: "moving", values: series.moving }] },
    ];
    if (!steps) return plots;
    const lines = (names: [string, string][], scale = 1) =>
        names.flatMap(([column, name]) =>
            steps[column] ? [{ name, values: steps[column].map((value) => scale * value) }] : [],
        );
    const add = (title: string, text: Plot["text"], own: Plot["lines"]) => {
        if (own.length > 0) plots.push({ title, text, times: steps.time, lines: own });
    };
    plots.pop(); // pairs say more
    add("pairs", countText, lines([["pairs", "pairs"]]));
    add("energy", energyText, changeOf(lines([["kinetic_energy", "kinetic"], ["potential_energy", "potential"]])));
    const stages = Object.keys(steps).filter((name) => name.endsWith("_seconds"));
    const largest = stages
        .sort((a, b) => sumOf(steps[b]) - sumOf(steps[a]))
        .slice(0, 3)
        .map((name): [string, string] => [name, name.replace("_seconds", "").replaceAll("_", " ")]);
    add("time per step", millisecondText, lines(largest, 1000));
    return plots;
}

// Potential energy has no zero of its own: it begins with 0 here.
function changeOf(lines: { name: string; values: number[] }[]): { name: string; values: number[] }[] {
    return lines.map(({ name, values }) =>
        name === "potential" ? { name, values: values.map((value) => value - values[0]) } : { name, values },
    );
}
const sumOf = (values: number[]) => values.reduce((a, b) => a + b, 0);
