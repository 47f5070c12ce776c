// What each step of the simulation did, where the page carries that: columns by name, as in steps.csv.
export type StepTable = Record<string, number[]>;

export function readSteps(): StepTable | null {
    const text = document.getElementById("steps")?.textContent?.trim();
    if (!text) return null;
    const columns: StepTable = JSON.parse(text);
    return columns.time?.length > 0 ? columns : null;
}
