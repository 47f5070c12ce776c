// What a page says of its run besides the recording (docs/formats/page_data.md).
import type { BlockEntry } from "./run_source";

export interface FieldEntry {
    shape: number;
    origin: [number, number, number]; // [m] of the first sample, in the shape's frame
    spacing: number; // [m]
    size: [number, number, number]; // samples along x, y, z; x is the fastest
    unit: number; // [m] of 1 of a sample
    samples: string; // base64 of a deflate stream of 16-bit numbers
}
export interface Rounding {
    length: number;
    turn: number;
    vertices: number;
    contacts: number;
    contacts_per_frame: number;
    contact_counts: number[];
}
export interface About {
    blocks?: BlockEntry[];
    served_blocks?: number[];
    recording_bytes?: number;
    why_incomplete?: string;
    rounding?: Rounding;
    left_out?: string | null; // what the page has not all of, in words
    fields?: FieldEntry[];
    method?: string;
    is_step?: boolean; // the run is one time step, and contacts have times in it
    time_unit?: string;
    tracked?: [number, number, number, number, number][]; // body, a point in its frame, the time when it touches
    rays?: [number, number, number, number, number, number][]; // from a vertex to what its ray meets [m]
}

export function readAbout(): About {
    const text = document.getElementById("about")?.textContent?.trim();
    return text ? JSON.parse(text) : {};
}
