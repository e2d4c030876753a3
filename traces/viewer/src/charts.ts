// The series over time and the roofline.
import * as echarts from 'echarts/core';
import { LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';
import { $, number } from './dom';
import type { Model } from './model';
import type { Theme } from './theme';

echarts.use([LineChart, ScatterChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

const palette = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#D55E00', '#56B4E9'];
const dashes = ['solid', 'dashed', 'dotted'] as const;
const units: Record<string, string> = { bytes: 'buffer occupancy', 'MB/s': 'bandwidth', instructions: 'queue depth', tensors: 'tensors in queues' };

export class Charts {
  private series = echarts.init($('series'));
  private roofline = echarts.init($('roofline'));
  constructor(private model: Model, private theme: Theme) {
    this.choices();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.drawSeries(this.range);
    this.drawRoofline();
  }
  resize(): void {
    this.series.resize();
    this.roofline.resize();
  }
  private range: [number, number] = [this.model.begin, this.model.end];
  show(from: number, to: number): void {
    this.range = [from, to];
    this.series.setOption({ xAxis: { min: from, max: to } });
  }
  // Shows the charts of this core, if there are any.
  showCore(core: string): void {
    const select = $<HTMLSelectElement>('which');
    const [, kind] = (select.value || '|bytes').split('|');
    const value = `${core}|${kind}`;
    if (select.value === value || ![...select.options].some((o) => o.value === value)) return;
    select.value = value;
    this.drawSeries(this.range);
  }

  private choices(): void {
    const select = $<HTMLSelectElement>('which');
    const of = this.model.data.series;
    for (const core of new Set(of.map((s) => s.core || 'chip')))
      for (const kind of Object.keys(units))
        if (of.some((s) => (s.core || 'chip') === core && s.unit === kind)) select.append(new Option(`${core}: ${units[kind]}`, `${core}|${kind}`));
    const occupancy = [...select.options].findIndex((o) => o.value.endsWith('|bytes'));
    if (occupancy >= 0) select.selectedIndex = occupancy;
    select.onchange = () => this.drawSeries(this.range);
    $('series-box').hidden = select.options.length === 0;
  }

  private drawSeries([from, to]: [number, number]): void {
    const { theme } = this;
    const [core, kind] = ($<HTMLSelectElement>('which').value || '|').split('|');
    const chosen = this.model.data.series.filter((s) => (s.core || 'chip') === core && s.unit === kind);
    this.series.setOption({
      animation: false,
      color: palette,
      grid: { left: 76, right: 16, top: 34, bottom: 28 },
      legend: { top: 2, left: 130, textStyle: { color: theme.text } },
      tooltip: { trigger: 'axis', backgroundColor: theme.background, borderColor: theme.grid, textStyle: { color: theme.text } },
      xAxis: { type: 'value', min: from, max: to, axisLabel: { color: theme.dim, formatter: (v: number) => number(v) }, splitLine: { lineStyle: { color: theme.grid } } },
      yAxis: { type: 'value', name: kind, nameTextStyle: { color: theme.dim }, axisLabel: { color: theme.dim }, splitLine: { lineStyle: { color: theme.grid } } },
      series: chosen.map((s, i) => ({
        name: s.limit ? `${s.name} (of ${number(s.limit)})` : s.name, type: 'line', step: 'end', symbol: 'none',
        data: [...s.points, [this.model.end, s.points.length ? s.points[s.points.length - 1][1] : 0]],
        lineStyle: { width: 1.6, type: dashes[Math.floor(i / palette.length) % 3] }, areaStyle: chosen.length < 3 ? { opacity: 0.15 } : undefined,
      })),
    }, { notMerge: true });
  }

  // Roofs and points of one scope: the cores that took part. L2 counts all bytes that cores move,
  // HBM the bytes that L2 does not hold: each roof has a separate point.
  private drawRoofline(): void {
    const { theme } = this;
    const { report } = this.model.data;
    const r = report.roofline;
    const operations = r.cube_operations || r.vector_elements;
    const bytes = r.read_bytes + r.written_bytes;
    const seconds = report.cycles / (report.clock_hz || 1e9);
    $('roofline-box').hidden = !operations || !bytes || !r.peak_per_second || !r.bandwidth_per_second || !seconds;
    if ($('roofline-box').hidden) return;
    const y = operations / seconds;
    const best = report.advice.find((a) => a.saves_cycles && a.saves_cycles < report.cycles);
    const then = best ? y / (1 - best.saves_cycles! / report.cycles) : 0;
    const levels = [{ name: 'L2', rate: r.bandwidth_per_second, x: operations / bytes, color: '#0072B2', symbol: 'diamond' }];
    if (r.hbm_bytes && r.hbm_per_second) levels.push({ name: 'HBM', rate: r.hbm_per_second, x: operations / r.hbm_bytes, color: '#D55E00', symbol: 'rect' });
    const xs = levels.flatMap((level) => [level.x, r.peak_per_second / level.rate]);
    const low = Math.min(...xs) / 6;
    const high = Math.max(...xs) * 10;
    const floor = 10 ** Math.floor(Math.log10(Math.min(y, low * Math.min(...levels.map((l) => l.rate)))) - 0.2);
    const axis = { type: 'log' as const, axisLabel: { color: theme.dim, formatter: (v: number) => (v >= 1e4 ? v.toExponential(0).replace('e+', 'e') : String(Number(v.toPrecision(1)))) }, nameTextStyle: { color: theme.dim }, splitLine: { lineStyle: { color: theme.grid } }, nameLocation: 'middle' as const };
    const tera = (v: number): string => (v < 1e12 ? Number((v / 1e12).toPrecision(2)).toString() : (v / 1e12).toFixed(2));
    const roof = (level: (typeof levels)[number]) => ({
      type: 'line', symbol: 'none', lineStyle: { color: level.color, width: 2, type: level.name === 'HBM' ? 'dashed' : 'solid' }, tooltip: { show: false },
      data: [[low, low * level.rate], [r.peak_per_second / level.rate, r.peak_per_second], [high, r.peak_per_second]],
      endLabel: { show: level.name === 'L2', offset: [-8, -10], align: 'right', color: theme.dim, formatter: `${tera(r.peak_per_second)} 10^12/s: ${r.peak_of}` },
    });
    const point = (level: (typeof levels)[number], at: number, name: string, hollow: boolean) => ({
      type: 'scatter', symbol: level.symbol, symbolSize: hollow ? 8 : 10, data: [[level.x, at]],
      itemStyle: hollow ? { color: theme.background, borderColor: level.color, borderWidth: 2 } : { color: level.color },
      label: { show: !hollow, position: level.name === 'L2' ? 'left' : 'right', color: theme.text, formatter: level.name },
      tooltip: { formatter: `${echarts.format.encodeHTML(name)}, by bytes of ${level.name}: ${level.x.toFixed(1)} operations per byte, ${tera(at)} 10^12/s of ${tera(r.peak_per_second)}` },
    });
    this.roofline.setOption({
      animation: false,
      grid: { left: 70, right: 24, top: 20, bottom: 46 },
      tooltip: { backgroundColor: theme.background, borderColor: theme.grid, textStyle: { color: theme.text } },
      xAxis: { ...axis, name: 'operations per byte', nameGap: 26, min: low, max: high },
      yAxis: { ...axis, name: 'operations per second', nameGap: 50, min: floor },
      series: [
        ...levels.map(roof),
        ...(then ? levels.map((level) => ({ type: 'line', symbol: ['none', 'arrow'], symbolSize: 8, lineStyle: { color: theme.dim, type: 'dotted', width: 1.5 }, data: [[level.x, y], [level.x, then]], tooltip: { show: false } })) : []),
        ...levels.map((level) => point(level, y, report.kernel, false)),
        ...(then ? levels.map((level) => point(level, then, 'with the first advice', true)) : []),
      ],
    }, { notMerge: true });
    $('roofline-text').textContent =
      `${levels.map((l) => `${l.name} roof ${(l.rate / 1e9).toFixed(0)} GB/s, ${l.x.toFixed(1)} operations per byte of ${l.name}`).join('; ')}. Reached ${tera(y)} of ${tera(r.peak_per_second)} 10^12/s (${r.peak_of})` +
      (then ? `; hollow: ${tera(then)} with the first advice.` : '.');
  }
}
