// The colour of a contact by its depth: from yellow where surfaces just touch over red to violet at the deepest, and
// blue where they are apart. Each depth has one colour throughout a run. By its time in a step: from violet to yellow.
export type Colour = [number, number, number]; // 0 to 1, as screens have it

const stops: Colour[] = [
    [1.0, 0.85, 0.2],
    [0.95, 0.35, 0.15],
    [0.75, 0.05, 0.4],
    [0.35, 0.0, 0.55],
];
const apart: Colour = [0.2, 0.5, 1.0];

function between(fraction: number): Colour {
    const along = Math.max(0, Math.min(1, fraction)) * (stops.length - 1);
    const i = Math.min(Math.floor(along), stops.length - 2);
    return [0, 1, 2].map((c) => stops[i][c] + (stops[i + 1][c] - stops[i][c]) * (along - i)) as Colour;
}

// distance: negative is penetration; deepest: the depth of the last colour [m].
export function depthColour(distance: number, deepest: number): Colour {
    if (distance > 0) return apart;
    return between(deepest > 0 ? -distance / deepest : 0);
}
export function timeColour(time: number): Colour {
    return between(1 - time);
}

export function cssColour([r, g, b]: Colour): string {
    return `rgb(${[r, g, b].map((c) => Math.round(255 * c)).join(" ")})`;
}
