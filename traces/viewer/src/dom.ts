// Small helpers for the page's elements.
export const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
export const number = (value: number): string => Math.round(value).toLocaleString('en');

export function element(tag: string, text = '', name = ''): HTMLElement {
  const e = document.createElement(tag);
  e.textContent = text;
  if (name) e.className = name;
  return e;
}

export function link(text: string, go: () => void): HTMLElement {
  const button = element('button', text, 'link') as HTMLButtonElement;
  button.type = 'button';
  button.onclick = go;
  return button;
}

export function rows(pairs: [string, string | undefined][]): HTMLElement {
  const list = document.createElement('dl');
  for (const [key, value] of pairs) if (value) list.append(element('dt', key), element('dd', value));
  return list;
}

// Numbers are aligned to the right.
export function table(titles: string[], cells: (string | number | HTMLElement)[][]): HTMLTableElement {
  const t = document.createElement('table');
  const head = t.createTHead().insertRow();
  titles.forEach((title, i) => head.append(element('th', title, typeof cells[0]?.[i] === 'number' ? 'n' : '')));
  const body = t.createTBody();
  for (const row of cells) {
    const r = body.insertRow();
    for (const cell of row) {
      if (cell instanceof HTMLElement) r.insertCell().append(cell);
      else r.append(element('td', typeof cell === 'number' ? number(cell) : cell, typeof cell === 'number' ? 'n' : ''));
    }
  }
  return t;
}
