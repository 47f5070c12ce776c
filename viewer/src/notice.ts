// What a user should know of what the page does not show, or shows less well than the recording has it.
import { countText, lengthText } from "./lengths";
import type { About } from "./page_about";
import type { Recording } from "./recording";
import type { Detail } from "./simplify_mesh";

export function noticeOf(recording: Recording, about: About, detail: Detail): string {
    const parts: string[] = [];
    if (recording.whyIncomplete) parts.push(`The recording is not complete: ${recording.whyIncomplete}.`);
    const { rounding } = about;
    if (rounding) {
        const length = Math.max(rounding.length, recording.clothBodies.length > 0 ? rounding.vertices : 0);
        let text = `Places are rounded to ${lengthText(length)}`;
        if (Math.max(...rounding.contact_counts) > rounding.contacts_per_frame)
            text += `, and of the contacts of a frame the ${countText(rounding.contacts_per_frame)} deepest are shown`;
        parts.push(`${text}.`);
    }
    if (about.left_out) parts.push(`${about.left_out}.`);
    if (detail.drawn < detail.full)
        parts.push(`Drawn with ${countText(Math.round(detail.drawn))} of ${countText(detail.full)} triangles.`);
    return parts.join(" ");
}
