// Lengths in the unit that suits them, and plain numbers.
const units: [number, string][] = [
    [1, "m"],
    [1e-2, "cm"],
    [1e-3, "mm"],
    [1e-6, "\u00b5m"],
];

export function lengthText(metres: number): string {
    const size = Math.abs(metres);
    const [unit, name] = units.find(([least]) => size >= least) ?? units[units.length - 1];
    return metres === 0 ? "0" : `${Number((metres / unit).toPrecision(3))} ${name}`;
}
export function numberText(value: number): string {
    return Math.abs(value) < 5e-4 ? "0" : Number(value.toPrecision(4)).toFixed(3).replace("-", "\u2212");
}
export function countText(value: number): string {
    return value.toLocaleString("en-US");
}
