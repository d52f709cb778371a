import { useEffect, useRef, useState } from 'preact/hooks';
import { cellText, type Unit } from '../../../src/core/insights/tables.ts';
import { IconButton } from '../../components/button.tsx';
import type { Plot as Drawn, PlotSpec, Series } from '../../lazy/plot.ts';
import { ScrolledTable } from './table.tsx';

export type PlotProps = {
  title: string;
  /** A sentence that summarizes the plot. Screen readers read it as well. */
  summary: string;
  /** The heading of the labels in the table, such as `Day`. */
  by: string;
  labels: readonly string[];
  /** Shorter labels for the axis. */
  short: readonly string[];
  series: readonly Series[];
  unit: Unit;
};

/** A plot with its legend. Screen readers always get its table, and the user can show the table in place of the plot. */
export function Plot({ title, summary, by, labels, short, series, unit }: PlotProps) {
  const [isTable, setTable] = useState(false);
  const [pointed, setPointed] = useState<number>();
  const at = pointed !== undefined && pointed < labels.length ? pointed : undefined;
  return (
    <section class="insight" aria-label={title}>
      <div class="row">
        <h2 class="grow">{title}</h2>
        <IconButton
          icon={isTable ? 'graph' : 'table'}
          label={isTable ? `Show plot: ${title}` : `Show table: ${title}`}
          onClick={() => setTable(!isTable)}
        />
      </div>
      <p class="dim">{summary}</p>
      {!isTable && (
        <>
          <Canvas short={short} series={series} unit={unit} onPoint={setPointed} />
          <p class="legend" aria-hidden="true">
            {at !== undefined && <span>{labels[at]}</span>}
            {series.map(({ name, color, values }) => (
              <span key={name}>
                <span class="swatch" style={{ background: `var(--vscode-${color})` }} />
                {name}
                {at !== undefined && `: ${cellText(values[at], unit)}`}
              </span>
            ))}
          </p>
        </>
      )}
      <ScrolledTable title={title} hidden={!isTable}>
        <thead>
          <tr>
            <th scope="col">{by}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, index) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {series.map(({ name, values }) => (
                <td key={name} class="number">
                  {cellText(values[index], unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </section>
  );
}

const [MINUTE, HOUR] = [60_000, 3_600_000];
/** Steps of the axis that are round in minutes and hours, or whole numbers. */
const STEPS: Partial<Record<Unit, number[]>> = {
  ms: [1_000, 10_000, ...[1, 5, 10, 30].map((of) => of * MINUTE), ...[1, 2, 5, 10, 20, 50, 100, 500].map((of) => of * HOUR)],
  count: [1, 2, 5].flatMap((of) => [1, 10, 100, 1_000, 10_000].map((power) => of * power)).toSorted((a, b) => a - b),
};

type CanvasProps = Pick<PlotProps, 'short' | 'series' | 'unit'> & Pick<PlotSpec, 'onPoint'>;

function Canvas({ short, series, unit, onPoint }: CanvasProps) {
  const parent = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const isShown = useShown(parent);
  // The page receives new data objects each time, although most of their values are unchanged. Colors change with the theme.
  const key = JSON.stringify([short, series, unit]);
  useEffect(() => {
    const element = parent.current;
    if (!element || !isShown) return;
    let drawn: Drawn | undefined;
    let isGone = false;
    void import('../../lazy/plot.ts').then(({ drawPlot }) => {
      const spec = { labels: short, series, onPoint, steps: STEPS[unit], text: (value: number) => cellText(value, unit) };
      if (!isGone) drawn = drawPlot(element, spec, element.clientWidth);
    });
    const observer = new ResizeObserver(() => drawn?.resize(element.clientWidth));
    observer.observe(element);
    return () => {
      isGone = true;
      observer.disconnect();
      drawn?.remove();
    };
  }, [key, theme, isShown]);
  return <div ref={parent} class="plot" aria-hidden="true" />;
}

/** Returns true once the plot has come into view. It is drawn only then, so that a long page opens quickly. */
function useShown(element: { current: HTMLElement | null }): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setShown(true), { rootMargin: '200px' });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isShown;
}

/** Counts theme changes, which VS Code signals through attributes of the page. */
function useTheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setChanges((count) => count + 1));
    for (const element of [document.documentElement, document.body])
      observer.observe(element, { attributes: true, attributeFilter: ['class', 'style', 'data-theme'] });
    return () => observer.disconnect();
  }, []);
  return changes;
}
