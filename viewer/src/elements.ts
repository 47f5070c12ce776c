// The elements of the page, by their names in index.html.
export const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export function fillRows(list: HTMLElement, rows: [string, string][]): void {
    list.replaceChildren(
        ...rows.map(([name, value]) => {
            const row = document.createElement("div");
            const [term, text] = [document.createElement("dt"), document.createElement("dd")];
            term.textContent = name;
            text.textContent = value;
            row.append(term, text);
            return row;
        }),
    );
}
