// The key to the colours of contacts.
import { cssColour, depthColour, timeColour } from "./depth_colours";
import { byId } from "./elements";
import { lengthText } from "./lengths";

// deepest: [m] of the last colour; byTime: contacts are coloured by their time in a step.
export function drawLegend(deepest: number, byTime: boolean): void {
    const canvas = byId<HTMLCanvasElement>("legend-bar");
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    for (let x = 0; x < canvas.width; ++x) {
        const part = x / (canvas.width - 1);
        context.fillStyle = cssColour(byTime ? timeColour(part) : depthColour(-part, 1));
        context.fillRect(x, 0, 1, canvas.height);
    }
    byId("legend-title").textContent = byTime ? "time of a contact in the step" : "depth of a contact";
    byId("legend-middle").textContent = byTime ? "0.5" : lengthText(deepest / 2);
    byId("legend-end").textContent = byTime ? "1" : lengthText(deepest);
    byId("legend-apart").hidden = byTime;
}
