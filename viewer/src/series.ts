// What the time plots show, one number a frame, filled in as groups of frames are decoded.
import type { Frame, Recording } from "./recording";
import { deepestOf } from "./run_bounds";

export interface Series {
    times: Float64Array; // [s]
    contacts: Float64Array;
    deepest: Float64Array; // [m]
    moving: Float64Array; // bodies that are there and awake
    known: number; // frames, from the first
    isStep: boolean; // the run is one time step: contacts are those that have touched by then
}

export function makeSeries(recording: Recording, isStep: boolean): Series {
    const column = () => new Float64Array(recording.frameCount);
    const times = column().map((_, i) => i * recording.frameTime);
    return { times, contacts: column(), deepest: column(), moving: column(), known: 0, isStep };
}

// Goes through the whole run, leaving the page time to draw in between.
// contactCounts: of the frames, where the page does not carry all contacts.
export async function fillSeries(recording: Recording, series: Series, contactCounts: number[] | undefined, progress: () => void): Promise<void> {
    while (series.known < recording.frameCount) {
        const { first, frames } = await recording.framesAround(series.known);
        for (const [i, frame] of frames.entries()) {
            const at = first + i;
            series.times[at] = frame.time;
            series.contacts[at] = contactCounts?.[at] ?? countOf(frame, series.isStep);
            series.deepest[at] = deepestOf(frame);
            series.moving[at] = recording.bodies.reduce(
                (sum, body, b) => sum + (body.motion !== "fixed" && frame.isPresent[b] && !frame.isAsleep[b] ? 1 : 0),
                0,
            );
        }
        series.known = first + frames.length;
        progress();
        await new Promise((resume) => setTimeout(resume));
    }
}

function countOf(frame: Frame, isStep: boolean): number {
    return isStep ? frame.contacts.times.reduce((sum, time) => sum + (time <= frame.time ? 1 : 0), 0) : frame.contacts.count;
}
