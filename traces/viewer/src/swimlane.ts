// The swimlane: a custom series that is given only what can be seen. Slices narrower than a few
// pixels are drawn together, so that a view never has more than a bounded number of rectangles.
import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemReturn } from 'echarts';
import * as echarts from 'echarts/core';
import type { Lane, Model, Place } from './model';
import { kinds } from './model';
import type { Theme } from './theme';

const rectangles = 16000; // in one view, at most about so many
const laneHeight = 20;
const left = 92;
const right = 16;
const top = 6;
const bottom = 58;

// lane row, begin, end, kind (4: several together), share that is work, lane, slice
type Item = [number, number, number, number, number, number, number];

// Black or white, whichever contrasts more with a colour: at least 4.5 to 1 for either.
function onColor(color: string): string {
  const part = (at: number): number => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
  return luminance > 0.179 ? '#000' : '#fff';
}

export class Swimlane {
  private chart: echarts.ECharts;
  private shown: number[] = []; // lanes, top to bottom
  private selected: Place | null = null;
  private matches: Uint8Array | null = null; // by what
  private pending = 0;
  from: number;
  to: number;
  onSelect: (place: Place) => void = () => {};
  onRange: (from: number, to: number) => void = () => {};

  constructor(private element: HTMLElement, private model: Model, private theme: Theme) {
    this.from = model.begin;
    this.to = model.end;
    this.chart = echarts.init(element, undefined, { renderer: 'canvas' });
    this.chart.on('datazoom', () => this.zoomed());
    this.chart.on('click', (event) => {
      const item = event.value as unknown as Item | undefined;
      if (!item) return;
      if (item[6] >= 0) this.select({ lane: item[5], slice: item[6] }, false);
      else this.range(item[1] - (item[2] - item[1]), item[2] + (item[2] - item[1]));
    });
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.configure();
  }

  showCores(cores: Set<string>): void {
    this.shown = [];
    this.model.lanes.forEach((lane, i) => {
      if (cores.has(lane.core)) this.shown.push(i);
    });
    this.element.style.height = `${this.shown.length * laneHeight + top + bottom}px`;
    this.chart.resize();
    this.configure();
  }

  resize(): void {
    this.chart.resize();
    this.draw();
  }

  // Marks the slices of these `what`s; null for none.
  mark(matches: Uint8Array | null): void {
    this.matches = matches;
    this.draw();
  }

  select(place: Place, reveal: boolean): void {
    this.selected = place;
    const lane = this.model.lanes[place.lane];
    if (reveal) {
      const begin = lane.begin[place.slice];
      const end = lane.end[place.slice];
      const width = Math.max(end - begin, 1) * 12;
      const middle = (begin + end) / 2;
      this.range(middle - width / 2, middle + width / 2);
    }
    if (reveal) this.scrollTo(place.lane);
    this.draw();
    this.onSelect(place);
  }

  // Lanes lie in a box that is lower than they are; one that is not shown is shown now.
  private scrollTo(index: number): void {
    if (!this.shown.includes(index)) this.showCores(new Set([...this.shown.map((i) => this.model.lanes[i].core), this.model.lanes[index].core]));
    const box = this.element.parentElement!;
    const y = top + this.shown.indexOf(index) * laneHeight;
    if (y < box.scrollTop || y + 2 * laneHeight > box.scrollTop + box.clientHeight) box.scrollTop = y - box.clientHeight / 2;
  }

  // The middle of a slice in pixels of the element, and its width; null if its lane is not shown.
  pixel(place: Place): { x: number; y: number; width: number } | null {
    const row = this.shown.indexOf(place.lane);
    if (row < 0) return null;
    const lane = this.model.lanes[place.lane];
    const [begin, y] = this.chart.convertToPixel({ gridIndex: 0 }, [lane.begin[place.slice], row]);
    const end = this.chart.convertToPixel({ gridIndex: 0 }, [lane.end[place.slice], row])[0];
    return { x: (begin + end) / 2, y, width: end - begin };
  }

  isShown(core: string): boolean {
    return this.shown.some((i) => this.model.lanes[i].core === core);
  }

  range(from: number, to: number): void {
    const least = 4;
    if (to - from < least) {
      const middle = (from + to) / 2;
      from = middle - least / 2;
      to = middle + least / 2;
    }
    const width = Math.min(to - from, this.model.end - this.model.begin);
    from = Math.max(this.model.begin, Math.min(from, this.model.end - width));
    this.chart.dispatchAction({ type: 'dataZoom', startValue: from, endValue: from + width });
  }

  // factor < 1 zooms in; shift in shares of the view
  move(factor: number, shift: number): void {
    const middle = (this.from + this.to) / 2 + shift * (this.to - this.from);
    const half = ((this.to - this.from) / 2) * factor;
    this.range(middle - half, middle + half);
  }

  private zoomed(): void {
    const option = this.chart.getOption() as { dataZoom: { startValue: number; endValue: number }[] };
    this.from = option.dataZoom[0].startValue;
    this.to = option.dataZoom[0].endValue;
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
      this.onRange(this.from, this.to);
    });
  }

  private configure(): void {
    const t = this.theme;
    const axis = { axisLine: { lineStyle: { color: t.grid } }, axisTick: { lineStyle: { color: t.grid } } };
    this.chart.setOption(
      {
        animation: false,
        backgroundColor: 'transparent',
        grid: { left, right, top, bottom },
        tooltip: {
          confine: true,
          backgroundColor: t.background,
          borderColor: t.grid,
          textStyle: { color: t.text, fontSize: 12 },
          formatter: (event: { value: Item }) => this.tooltip(event.value),
        },
        xAxis: {
          type: 'value', min: this.model.begin, max: this.model.end, ...axis,
          axisLabel: { color: t.dim, formatter: (v: number) => Math.round(v).toLocaleString('en') },
          splitLine: { lineStyle: { color: t.grid, opacity: 0.5 } },
        },
        yAxis: {
          type: 'category', inverse: true, data: this.shown.map((i) => this.model.lanes[i].name), ...axis,
          axisLabel: { color: t.text, fontSize: 11, fontFamily: 'monospace', interval: 0 },
          splitLine: { show: false },
        },
        dataZoom: [
          { type: 'inside', xAxisIndex: 0, filterMode: 'none', startValue: this.from, endValue: this.to, minValueSpan: 4, zoomOnMouseWheel: 'ctrl' },
          {
            type: 'slider', xAxisIndex: 0, filterMode: 'none', height: 18, bottom: 8, showDataShadow: false,
            startValue: this.from, endValue: this.to, minValueSpan: 4, borderColor: t.grid,
            textStyle: { color: t.dim }, labelFormatter: (v: number) => Math.round(v).toLocaleString('en'),
          },
        ],
        series: [{ id: 'slices', type: 'custom', clip: true, progressive: 0, renderItem: this.render, data: this.items(), encode: { x: [1, 2], y: 0 } }],
      },
      { notMerge: true },
    );
  }

  private draw(): void {
    this.chart.setOption({ series: [{ id: 'slices', data: this.items() }] });
  }

  private items(): Item[] {
    const items: Item[] = [];
    const pixels = Math.max(200, this.element.clientWidth - left - right);
    const perLane = Math.max(40, Math.min(pixels, rectangles / Math.max(1, this.shown.length)));
    const least = (this.to - this.from) / perLane;
    this.shown.forEach((index, row) => this.laneItems(this.model.lanes[index], index, row, least, items));
    return items;
  }

  private laneItems(lane: Lane, index: number, row: number, least: number, items: Item[]): void {
    const { what } = lane.packed;
    const n = what.length;
    let i = this.model.firstAfter(lane, this.from);
    while (i < n && lane.begin[i] < this.to) {
      const kind = this.model.data.what[what[i]].kind;
      const marked = this.matches !== null && this.matches[what[i]] === 1;
      const chosen = this.selected !== null && this.selected.lane === index && this.selected.slice === i;
      if (lane.end[i] - lane.begin[i] >= least || marked || chosen) {
        items.push([row, lane.begin[i], Math.max(lane.end[i], lane.begin[i] + least / 2), kind, 1, index, i]);
        ++i;
        continue;
      }
      // As many neighbours as fit into one mark.
      const first = i;
      const begin = lane.begin[i];
      let work = 0;
      let end = begin;
      let count = 0;
      for (; i < n && lane.begin[i] < begin + least && lane.end[i] - lane.begin[i] < least; ++i) {
        if (this.matches !== null && this.matches[what[i]] === 1 && count > 0) break;
        const k = this.model.data.what[what[i]].kind;
        if (kinds[k] !== 'wait') work += lane.end[i] - lane.begin[i];
        end = Math.max(end, lane.end[i]);
        ++count;
      }
      if (count === 1)
        items.push([row, begin, Math.max(end, begin + least / 2), kind, 1, index, first]);
      else items.push([row, begin, Math.max(end, begin + least), 4, work / Math.max(end - begin, 1), index, -1]);
    }
  }

  private render = (_: unknown, api: CustomSeriesRenderItemAPI): CustomSeriesRenderItemReturn => {
    const kind = api.value(3) as number;
    const lane = this.model.lanes[api.value(5) as number];
    const slice = api.value(6) as number;
    const [x0, y] = api.coord([api.value(1), api.value(0)]);
    const x1 = api.coord([api.value(2), api.value(0)])[0];
    const high = (api.size!([0, 1]) as number[])[1];
    const t = this.theme;
    const color = t.pipes[lane.pipe] ?? t.sync;
    const wait = kinds[kind] === 'wait';
    const never = wait && slice >= 0 && this.model.data.what[lane.packed.what[slice]].open === true;
    const tall = never ? 0.4 : wait ? 0.24 : kinds[kind] === 'sync' ? 0.5 : kinds[kind] === 'scalar' ? 0.46 : 0.78;
    const marked = this.matches !== null && slice >= 0 && this.matches[lane.packed.what[slice]] === 1;
    const chosen = this.selected !== null && slice >= 0 && this.selected.slice === slice && this.model.lanes[this.selected.lane] === lane;
    const width = Math.max(x1 - x0 - (x1 - x0 > 4 ? 0.6 : 0), 0.8);
    const fill = never ? t.never : wait ? t.wait : kinds[kind] === 'sync' ? t.sync : kinds[kind] === 'scalar' ? t.scalar : color;
    const share = kind === 4 ? 0.35 + 0.6 * Math.min(1, api.value(4) as number) : 1;
    const dim = this.matches !== null && !marked ? 0.22 : 1;
    const shape = { x: x0, y: y - (high * tall) / 2, width, height: high * tall, r: width > 6 && !wait ? 2 : 0 };
    const label = slice >= 0 && width > 46 && !wait && dim === 1 ? this.model.data.what[lane.packed.what[slice]].name : '';
    return {
      type: 'rect',
      shape,
      style: {
        fill, opacity: share * dim,
        stroke: chosen || marked ? t.selected : undefined,
        lineWidth: chosen ? 2 : marked ? 1 : 0,
      },
      // Elements are used again for other slices: one without a label says so.
      textContent: { ignore: !label, style: { text: label, fill: onColor(fill), font: '10px system-ui, sans-serif', width: width - 4, overflow: 'truncate' } },
      textConfig: { position: 'inside' },
    } as CustomSeriesRenderItemReturn;
  };

  private tooltip(item: Item): string {
    if (item[6] < 0) return 'several; zoom in to tell them apart';
    const what = this.model.what({ lane: item[5], slice: item[6] });
    const lane = this.model.lanes[item[5]];
    const text = [what.name, what.operands, what.line, `${lane.name}, ${lane.packed.length[item[6]]} cycles from ${lane.begin[item[6]]}`];
    return text.filter(Boolean).map((line) => echarts.format.encodeHTML(line!)).join('<br>');
  }
}
