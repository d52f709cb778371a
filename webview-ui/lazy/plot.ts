/** Draws stacked bars with uPlot. The colors come from the theme, so a plot must be drawn again when the theme changes. */
import UPlot from 'uplot';

/** `color` is the name of a theme variable of VS Code without `--vscode-`. There is one value for each of the plot's `labels`. */
export type Series = { name: string; color: string; values: readonly number[] };
export type PlotSpec = {
  /** The texts below the bars. */
  labels: readonly string[];
  /** The possible distances between the grid lines of the vertical axis. */
  steps?: number[] | undefined;
  /** The series, from bottom to top. */
  series: readonly Series[];
  /** Formats a value of the vertical axis. */
  text(value: number): string;
  /** Is called with the index of the bar under the pointer. */
  onPoint(index: number | undefined): void;
};
export type Plot = { resize(width: number): void; remove(): void };

const HEIGHT = 130;
const BAR_SHARE = 0.8;
const MAX_BAR = 40;

export function drawPlot(parent: HTMLElement, { labels, series, steps, text, onPoint }: PlotSpec, width: number): Plot {
  const style = getComputedStyle(document.body);
  const colorOf = (name: string, other: string) => style.getPropertyValue(`--vscode-${name}`).trim() || other;
  const font = `${style.fontSize} ${style.fontFamily}`;
  const ink = colorOf('descriptionForeground', style.color);
  const grid = colorOf('charts-lines', ink);
  // In high contrast themes, bars are distinguished by their borders.
  const border = colorOf('contrastBorder', '');
  // Each bar includes the heights of the bars below it. The highest is drawn first, so that the others cover its lower part.
  const stacked = series.map((_, top) => labels.map((_, at) => sum(series.slice(0, top + 1), at)));
  // A bar without height would still draw its border.
  const shown = stacked.map((heights, top) => heights.map((height, at) => (series[top]?.values[at] ? height : null)));
  const highest = Math.max(...(stacked.at(-1) ?? []), 0);
  const bars = UPlot.paths.bars?.({ size: [BAR_SHARE, MAX_BAR], align: 0 });
  const axis = { font, stroke: ink, ticks: { show: false } };
  const plot = new UPlot(
    {
      width,
      height: HEIGHT,
      legend: { show: false },
      padding: [8, 8, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: [-0.5, labels.length - 0.5] }, y: { range: [0, highest > 0 ? highest * 1.05 : 1] } },
      axes: [
        { ...axis, grid: { show: false }, size: 22, space: 70, incrs: STEPS, values: (_, at) => at.map((each) => labels[each] ?? '') },
        {
          ...axis,
          grid: { stroke: `color-mix(in srgb, ${grid} 40%, transparent)`, width: 1 },
          size: (_, values) => 14 + Math.max(0, ...(values ?? []).map((value) => value.length)) * 7,
          values: (_, at) => at.map(text),
          ...(steps && { incrs: steps }),
        },
      ],
      series: [
        {},
        ...series
          .map(({ name, color }) => ({
            label: name,
            fill: colorOf(color, ink),
            ...(border && { stroke: border, width: 1 }),
            ...(bars && { paths: bars }),
            points: { show: false },
          }))
          .reverse(),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
    },
    [labels.map((_, at) => at), ...shown.reverse()],
    parent,
  );
  return { resize: (next) => plot.setSize({ width: next, height: HEIGHT }), remove: () => plot.destroy() };
}

/** The possible distances between labels, in bars. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

function sum(series: readonly Series[], at: number): number {
  return series.reduce((total, { values }) => total + (values[at] ?? 0), 0);
}
