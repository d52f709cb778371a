// `npm run bench [-- name ...]`: measures Kedge's performance and prints ratios and times. It never fails because of a slow machine.
import { ripgrepOfEditor } from './editor.ts';
import { packageExtension } from './package.ts';

type Row = [what: string, figure: string, target: string];

const benches: Record<string, () => Promise<Row[]>> = {
  async bundles() {
    const { staticSize } = await import('../test/bench/bundles.ts');
    const kilobytes = async (file: string) => `${Math.round((await staticSize(file)) / 1000)} KB`;
    return [
      ['code that the extension loads at activation', await kilobytes('extension'), '140 KB'],
      ['code that the terminal program loads at its start', await kilobytes('program'), ''],
      ['code of the panel', await kilobytes('panel'), ''],
    ];
  },
  async activation() {
    const { measureActivation } = await import('../test/bench/activation.ts');
    return [['activation in the extension host, as VS Code counts it', ms(await measureActivation()), '60 ms']];
  },
  async loop() {
    const { measureLoop } = await import('../test/bench/loop.ts');
    const { measureFold } = await import('../test/bench/fold.ts');
    const { msPerStepAt30, msPerStepAt500, growth } = await measureLoop();
    const fold = measureFold();
    return [
      ['loop, per step at 30 steps', ms(msPerStepAt30), '1 ms'],
      ['loop, per step at 500 steps', ms(msPerStepAt500), ''],
      ['loop, last 50 of 500 steps to the first 50', ratio(growth), '1.5x'],
      [
        'opening a session of 20,000 events; time per event at 160,000 events to 20,000',
        `${ms(fold.msAt20000)}, ${ratio(fold.growth)}`,
        '',
      ],
    ];
  },
  async context() {
    const { measureContext } = await import('../test/bench/context.ts');
    const rows: Row[] = [];
    for (const { window, sent, prefix, compactions } of await measureContext([8_192, 16_384, 32_768, 131_072])) {
      const size = `with a window of ${window.toLocaleString('en')} tokens`;
      rows.push([
        `a task of 159 calls ${size}, what is sent to what is sent without compactions`,
        `${ratio(sent)} (${compactions} compactions)`,
        '0.33x',
      ]);
      const share = (part: number) => `${(100 * part).toFixed(1)}%`;
      rows.push([
        `${size}, how much of a request the next begins with`,
        `${share(prefix.average)}, at least ${share(prefix.least)}`,
        '95%',
      ]);
    }
    return rows;
  },
  async steps() {
    const { measureSteps } = await import('../test/bench/steps.ts');
    return (await measureSteps()).flatMap(({ wire, early, late, bareEarly, bareLate, growth, memoryRatio }): Row[] => [
      [
        `${wire}, processor time of step 2,000 to that of step 30, without \`fetch\``,
        `${ratio(growth)} (${ms(early)}, ${ms(late)}; \`fetch\` alone ${ms(bareEarly)}, ${ms(bareLate)})`,
        '1.5x',
      ],
      [`${wire}, memory gained in 2,000 steps, to the bytes of a request`, ratio(memoryRatio), '2.5x'],
    ]);
  },
  async search() {
    const { measureTree } = await import('../test/bench/search.ts');
    const rg = await ripgrepOfEditor();
    const rows: Row[] = [];
    for (const count of [20_000, 200_000]) {
      const { files, looks } = await measureTree(rg, count);
      for (const { what, ratio: times, toolMs, bareMs, grownMb } of looks) {
        const figure = `${ratio(times)} (${ms(toolMs)} to ${ms(bareMs)}), memory +${Math.round(grownMb)} MB`;
        rows.push([`${what}, over ${files.toLocaleString('en')} files, to bare ripgrep`, figure, what.startsWith('list') ? '' : '1.3x']);
      }
    }
    return rows;
  },
  async edits() {
    const { measureEdits } = await import('../test/bench/edits.ts');
    const { editMs, patchMs, bareMs, bareFilesMs, ratio: times, readMs, bareReadMs, largeMs } = await measureEdits();
    const bare = `${ms(bareMs)}; one write per file: ${ms(bareFilesMs)}`;
    return [
      ['1,000 replacements over 200 files to a bare loop', `${ratio(times)} (${ms(editMs)} to ${bare})`, '3x'],
      ['1,000 replacements as one patch of 200 files to a bare loop', `${ratio(patchMs / bareMs)} (${ms(patchMs)})`, '3x'],
      ['reading 1,000 files (bare)', `${ms(readMs)} (${ms(bareReadMs)})`, ''],
      ['one replacement in a file of 10 MB', ms(largeMs), ''],
    ];
  },
  async panel() {
    const { measurePanel } = await import('../test/support/panel-gallery.ts');
    const { longestTaskMs, longestTaskCpuMs } = await measurePanel();
    return [['10,000 deltas to the panel, longest task', `${ms(longestTaskMs)} (${ms(longestTaskCpuMs)} of CPU)`, '50 ms']];
  },
  async adapters() {
    const { measureAdapters } = await import('../test/bench/adapters.ts');
    return (await measureAdapters()).map(({ wire, adapterMs, sdkMs, ratio: times }) => [
      `${wire}, 1,000 deltas (the SDK alone)`,
      `${ms(adapterMs)} (${ms(sdkMs)}), ${ratio(times)}`,
      '1.25x',
    ]);
  },
  async providers() {
    const { measureProviders } = await import('../test/bench/adapters.ts');
    return (await measureProviders()).flatMap(({ provider, loadMs, requestMs, terminalMs }): Row[] => [
      [`${provider}, loading, and to its first request`, `${ms(loadMs)}, ${ms(requestMs)}`, '80 ms'],
      [`${provider}, start of the terminal program to its first request`, ms(terminalMs), '150 ms'],
    ]);
  },
  async terminal() {
    const { measureCli } = await import('../test/bench/cli.ts');
    const { kedge, bare, stepRatio, fixedTokens } = await measureCli();
    const mb = (value: number | undefined) => (value === undefined ? 'unknown' : `${Math.round(value)} MB`);
    return [
      ['terminal, start to first request (bare loop)', `${ms(kedge.startMs)} (${ms(bare.startMs)})`, '150 ms'],
      ['terminal, client time per step (bare loop)', `${ms(kedge.stepMs)} (${ms(bare.stepMs)}), ${ratio(stepRatio)}`, '2.5 ms'],
      ['terminal, peak memory (bare loop)', `${mb(kedge.peakMb)} (${mb(bare.peakMb)})`, '120 MB'],
      ['fixed part of a request, Ask', `${fixedTokens.ask} tokens`, '1,200'],
      ['fixed part of a request, Plan', `${fixedTokens.plan} tokens`, ''],
      ['fixed part of a request, Agent', `${fixedTokens.agent} tokens`, '2,000'],
    ];
  },
};

async function main(names: string[]): Promise<void> {
  const unknown = names.find((name) => !(name in benches));
  if (unknown) throw new Error(`There is no benchmark "${unknown}". Choose from ${Object.keys(benches).join(', ')}.`);
  await packageExtension();
  const rows: Row[] = [];
  for (const [name, bench] of Object.entries(benches)) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.error(`Measuring ${name} …`);
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
