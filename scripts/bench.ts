// `npm run bench [-- name ...]`: prints what Kedge costs, as ratios and times measured in this run. It never fails by wall time.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ripgrepOfEditor, root } from './editor.ts';
import { packageExtension } from './package.ts';

type Row = [what: string, figure: string, target: string];

const benches: Record<string, () => Promise<Row[]>> = {
  async bundles() {
    const files = ['extension.cjs', 'kedge.cjs', 'panel.js'];
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(root, 'dist', file))).size / 1000));
    return files.map(
      (file, index): Row => [`${file}`, `${Math.round(sizes[index] as number)} KB`, file === 'extension.cjs' ? '300 KB' : ''],
    );
  },
  async activation() {
    const { measureActivation } = await import('../test/bench/activation.ts');
    const { activateMs, loadMs, providersLoaded } = await measureActivation();
    return [
      ['activation in the extension host', `${ms(loadMs + activateMs)} (load ${ms(loadMs)}, activate ${ms(activateMs)})`, '60 ms'],
      ['providers loaded before the first prompt', `${providersLoaded}`, '0'],
    ];
  },
  async loop() {
    const { measureLoop } = await import('../test/bench/loop.ts');
    const { msPerStepAt30, msPerStepAt500, growth } = await measureLoop();
    return [
      ['loop, per step at 30 steps', ms(msPerStepAt30), '1 ms'],
      ['loop, per step at 500 steps', ms(msPerStepAt500), ''],
      ['loop, last 50 of 500 steps to the first 50', ratio(growth), '1.5x'],
    ];
  },
  async search() {
    const { measureSearch } = await import('../test/bench/search.ts');
    const figures = await measureSearch(await ripgrepOfEditor());
    return [
      [
        `search over ${figures.files} files to bare ripgrep`,
        `${ratio(figures.ratio)} (${ms(figures.toolMs)} to ${ms(figures.bareMs)})`,
        '1.3x',
      ],
    ];
  },
  async panel() {
    const { measurePanel } = await import('../test/support/panel-gallery.ts');
    const { longestTaskMs } = await measurePanel();
    return [['10,000 deltas to the panel, longest task', ms(longestTaskMs), '50 ms']];
  },
  async terminal() {
    const { measureCli } = await import('../test/bench/cli.ts');
    return measureCli();
  },
};

async function main(names: string[]): Promise<void> {
  const unknown = names.find((name) => !(name in benches));
  if (unknown) throw new Error(`There is no benchmark "${unknown}": choose from ${Object.keys(benches).join(', ')}.`);
  await packageExtension();
  const rows: Row[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.error(`measuring ${name} …`);
    rows.push(...(await bench()));
  }
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
  for (const [what, figure, target] of rows) {
    console.log(`${what.padEnd(width(0))}  ${figure.padEnd(width(1))}${target && `  target ${target}`}`.trimEnd());
  }
}

const ms = (value: number) => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
const ratio = (value: number) => `${value.toFixed(2)}x`;

await main(process.argv.slice(2));
