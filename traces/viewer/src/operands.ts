// The operands of the chosen instruction, as pictures and numbers. Elements that are not numbers,
// and elements that differ from their golden, are marked.
import { element, link, number } from './dom';
import type { Theme } from './theme';
import type { Shown, Values } from './values';
import { valueText } from './values';

const seenRows = 8; // of the numbers
const seenColumns = 4;
const picture = 292; // pixels, at most
const nan = [214, 40, 140];
const infinite = [230, 130, 0];

export interface Spot {
  row: number;
  column: number;
  expected: string;
}

const odd = (value: number): boolean => !Number.isFinite(value);

class Tile {
  readonly box = element('div', '', 'tile');
  private canvas = document.createElement('canvas');
  private numbers = document.createElement('table');
  private scale = 1;
  private row = 0;
  private column = 0;

  constructor(private values: Values, private shown: Shown, private theme: Theme, private spot: Spot | null) {
    const { rows, columns } = shown;
    this.scale = Math.max(1, Math.min(12, Math.floor(picture / Math.max(columns, 1)), Math.floor(120 / Math.max(rows, 1))));
    this.canvas.width = Math.min(columns * this.scale, 2048);
    this.canvas.height = Math.min(rows * this.scale, 2048);
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${rows} x ${columns} values: arrow keys move the window of numbers`);
    this.canvas.onclick = (event) => {
      const box = this.canvas.getBoundingClientRect();
      this.show(Math.floor(((event.clientY - box.top) / box.height) * rows), Math.floor(((event.clientX - box.left) / box.width) * columns));
    };
    this.canvas.onkeydown = (event) => {
      const by = ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] } as Record<string, number[]>)[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      this.show(this.row + by[0] * seenRows, this.column + by[1] * seenColumns);
    };
    this.box.append(this.canvas);
    const [, , , , , , , nans, infinities] = shown.operand;
    if (nans + infinities) this.box.append(link('next NaN or infinity', () => this.next()));
    this.box.append(this.numbers);
    this.show(spot?.row ?? 0, spot?.column ?? 0);
  }

  private show(row: number, column: number): void {
    const { rows, columns } = this.shown;
    const clamp = (at: number, seen: number, all: number): number => Math.max(0, Math.min(at, all - Math.min(seen, all)));
    this.row = clamp(row, seenRows, rows);
    this.column = clamp(column, seenColumns, columns);
    this.draw();
    const head = element('tr');
    head.append(element('th', ''));
    const lastColumn = Math.min(columns, this.column + seenColumns);
    for (let c = this.column; c < lastColumn; ++c) head.append(element('th', String(c), 'n'));
    const body = [head];
    for (let r = this.row; r < Math.min(rows, this.row + seenRows); ++r) {
      const line = element('tr');
      line.append(element('th', String(r), 'n'));
      for (let c = this.column; c < lastColumn; ++c) {
        const value = this.values.value(this.shown, r, c);
        const here = this.spot?.row === r && this.spot.column === c;
        const cell = element('td', valueText(value), `n${odd(Number(value)) ? ' odd' : ''}${here ? ' differs' : ''}`);
        if (here) cell.title = `expected ${this.spot!.expected}`;
        line.append(cell);
      }
      body.push(line);
    }
    this.numbers.replaceChildren(...body);
  }

  // Goes to the next element that is not a number, row by row, after the first shown one.
  private next(): void {
    const { rows, columns } = this.shown;
    const all = rows * columns;
    const begin = this.row * columns + this.column;
    for (let step = 1; step <= all; ++step) {
      const at = (begin + step) % all;
      const [row, column] = [Math.floor(at / columns), at % columns];
      if (odd(Number(this.values.value(this.shown, row, column)))) return this.show(row, column);
    }
  }

  private draw(): void {
    const { rows, columns, operand } = this.shown;
    const context = this.canvas.getContext('2d')!;
    const { width, height } = this.canvas;
    if (!width || !height) return;
    const image = context.createImageData(width, height);
    const [least, most] = [operand[9], operand[10]];
    const low = this.theme.background === '#ffffff' ? [255, 255, 255] : [13, 17, 23];
    const high = this.theme.background === '#ffffff' ? [0, 60, 110] : [120, 200, 255];
    for (let y = 0; y < height; ++y)
      for (let x = 0; x < width; ++x) {
        const value = Number(this.values.value(this.shown, Math.floor((y * rows) / height), Math.floor((x * columns) / width)));
        const share = most > least ? (value - least) / (most - least) : 0.5;
        const color = Number.isNaN(value) ? nan : odd(value) ? infinite : low.map((v, i) => v + (high[i] - v) * (0.08 + 0.92 * share));
        image.data.set([...color, 255], 4 * (y * width + x));
      }
    context.putImageData(image, 0, 0);
    const [sx, sy] = [width / columns, height / rows];
    context.strokeStyle = this.theme.selected;
    context.strokeRect(this.column * sx + 0.5, this.row * sy + 0.5, Math.max(2, Math.min(seenColumns, columns) * sx - 1), Math.max(2, Math.min(seenRows, rows) * sy - 1));
    if (!this.spot) return;
    context.strokeStyle = this.theme.never;
    context.lineWidth = 2;
    context.strokeRect(this.spot.column * sx - 1, this.spot.row * sy - 1, sx + 2, sy + 2);
  }
}

// If an element differs, shows the stored tile.
export async function showOperands(panel: HTMLElement, values: Values, core: string, sequence: number, theme: Theme, spot: Spot | null): Promise<void> {
  const list = values.of(core, sequence);
  const before = panel.firstElementChild;
  if (!list.length) {
    panel.append(element('p', 'Its data was not kept.', 'dim'));
    return;
  }
  await values.load();
  if (panel.firstElementChild !== before) return; // another one has been chosen meanwhile
  const box = element('div', '', 'operands');
  for (const shown of list) {
    const [, , , role, , address, tile, nans, infinities, least, most] = shown.operand;
    const text = [`${shown.space} @0x${address.toString(16)}`, shown.type && `${shown.type} ${shown.rows}x${shown.columns}`, `${valueText(least)} to ${valueText(most)}`]
      .filter((part) => part).join(', ');
    box.append(element('h3', role === 1 ? 'It read' : 'It wrote'), element('p', text));
    if (nans || infinities) box.append(element('p', `${nans ? `${number(nans)} NaN` : ''}${nans && infinities ? ', ' : ''}${infinities ? `${number(infinities)} infinite` : ''}`, 'odd'));
    if (tile < 0) box.append(element('p', 'There was no room for its values.', 'dim'));
    else if (!shown.there) box.append(element('p', `Its values are in the recording: ptosim report DIR --data ${core}:${sequence}`, 'dim'));
    else box.append(new Tile(values, shown, theme, role === 1 ? spot : null).box);
  }
  panel.append(box);
}
