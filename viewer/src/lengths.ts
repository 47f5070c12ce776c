// Lengths in the unit that suits them.
const units: [number, string][] = [
    [1, "m"],
    [1e-2, "cm"],
    [1e-3, "mm"],
    [1e-6, "um"],
];

export function lengthText(metres: number): string {
    const size = Math.abs(metres);
    const [unit, name] = units.find(([least]) => size >= least) ?? units[units.length - 1];
    return metres === 0 ? "0" : `${(metres / unit).toPrecision(3)} ${name}`;
}
