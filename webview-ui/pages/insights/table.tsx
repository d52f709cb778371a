import type { ComponentChildren } from 'preact';
import { cellText, type Table } from '../../../src/core/insights/tables.ts';

/** A table that scrolls if it is larger than the available space. With `hidden`, it is available only to screen readers. */
export function ScrolledTable({ title, hidden, children }: { title: string; hidden?: boolean; children: ComponentChildren }) {
  const table = (
    <table>
      <caption class="sr-only">{title}</caption>
      {children}
    </table>
  );
  if (hidden) return <div class="sr-only">{table}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
    <section class="table-scroll" aria-label={`Table: ${title}`} tabIndex={0}>
      {table}
    </section>
  );
}

/** A table whose first count is also shown as a bar. */
export function CountTable({ table: { title, columns, rows } }: { table: Table }) {
  const most = Math.max(1, ...rows.map((row) => Number(row[1]) || 0));
  return (
    <section class="insight" aria-label={title}>
      <h2>{title}</h2>
      <ScrolledTable title={title}>
        <thead>
          <tr>
            {columns.map(({ name, unit }) => (
              <th key={name} scope="col" class={unit && 'number'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...values]) => (
            <tr key={name}>
              <th scope="row">
                {name}
                <span class="bar" aria-hidden="true" style={{ width: `${(100 * (Number(values[0]) || 0)) / most}%` }} />
              </th>
              {values.map((value, index) => (
                <td key={columns[index + 1]?.name} class="number">
                  {cellText(value, columns[index + 1]?.unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </section>
  );
}
