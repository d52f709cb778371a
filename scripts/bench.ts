// `npm run bench [-- name ...]`: measures Kedge's performance and prints ratios and times. It never fails because a machine is slow.
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
  async paint() {
    const { measurePanelCpu, measurePanelPaint } = await import('../test/bench/panel-paint.ts');
    const { paintMs, ownMs } = await measurePanelPaint();
    return [
      ['showing the panel, to its first paint', ms(paintMs), '400 ms'],
      ['of that, the panel itself, from the start of its document', ms(ownMs), ''],
      ['processor time of the panel until it is painted', ms(await measurePanelCpu()), ''],
    ];
  },
  async loop() {
    const { measureLoop } = await import('../test/bench/loop.ts');
    const { measureFold } = await import('../test/bench/fold.ts');
    const { msPerStepAt30, msPerStepAt500, growth } = await measureLoop();
    const fold = measureFold();
    return [
      ['loop, per step at 30 steps', ms(msPerStepAt30), '1 ms'],
      ['loop, per step at 500 steps', ms(msPerStepAt500), ''],
      ['loop, last 50 of 500 steps, compared to the first 50', ratio(growth), '1.5x'],
      [
        'opening a session of 20,000 events; its view; time per event at 160,000 events, compared to 20,000',
        `${ms(fold.msAt20000)}, ${ms(fold.viewMsAt20000)}, ${ratio(fold.growth)}`,
        '',
      ],
    ];
  },
  async delegates() {
    const { measureDelegates } = await import('../test/bench/delegates.ts');
    const { ratio: times, oneMs, manyMs, mbEach } = await measureDelegates();
    return [
      [
        '20 child runs that read, on a server with 200 ms latency, compared to one',
        `${ratio(times)} (${ms(oneMs)}, ${ms(manyMs)})`,
        '1.5x',
      ],
      ['memory of a child run', `${mbEach.toFixed(1)} MB`, '10 MB'],
    ];
  },
  async context() {
    const { measureContext } = await import('../test/bench/context.ts');
    const rows: Row[] = [];
    for (const { window, sent, prefix, compactions } of await measureContext([8_192, 16_384, 32_768, 131_072])) {
      const size = `with a window of ${window.toLocaleString('en')} tokens`;
      rows.push([
        `a task of 159 calls ${size}, tokens sent, compared to no compactions`,
        `${ratio(sent)} (${compactions} compactions)`,
        '0.33x',
      ]);
      const share = (part: number) => `${(100 * part).toFixed(1)}%`;
      rows.push([
        `${size}, share of a request that the next request begins with`,
        `${share(prefix.average)}, at least ${share(prefix.least)}`,
        '95%',
      ]);
    }
    return rows;
  },
  async sessions() {
    const { measureSessions } = await import('../test/bench/sessions.ts');
    const { listMs, listAgainMs, indexMs, rareMs, commonMs, missMs } = await measureSessions();
    return [
      ['listing 1,000 sessions of 500 MB for the first time, and again', `${ms(listMs)}, ${ms(listAgainMs)}`, ''],
      ['searching them for the first time', ms(indexMs), ''],
      ['searching them: a rare word, a common word (first result), no result', `${ms(rareMs)}, ${ms(commonMs)}, ${ms(missMs)}`, '300 ms'],
    ];
  },
  async documents() {
    const { measureGrowth } = await import('../test/bench/documents/growth.ts');
    const rows: Row[] = [];
    for (const count of [500, 5_000, 20_000]) {
      const figures = await measureGrowth(count);
      const { perSecond, megabytes, queryMs, slowestMs, memoryMegabytes, flatMegabytes, updateShare } = figures;
      const size = `${count.toLocaleString('en')} documents of 1,000 words`;
      rows.push(
        [`indexing ${size}: documents per second of CPU, and on disk`, `${Math.round(perSecond)}, ${mb(megabytes)}`, ''],
        ['memory for that, at its highest; in the second half, compared to the first', `+${mb(memoryMegabytes)}; ${mb(flatMegabytes)}`, ''],
        ['searching in them, median (slowest of 60)', `${ms(queryMs)} (${ms(slowestMs)}) of CPU`, '50 ms'],
        ['updating after 1 % has changed, compared to indexing all', `${(100 * updateShare).toFixed(1)} %`, '1 %'],
        [
          'the program was blocked at most, while indexing and while searching',
          `${ms(figures.blockedIndexingMs)}, ${ms(figures.blockedSearchingMs)}`,
          '50 ms',
        ],
      );
    }
    return rows;
  },
  async 'long-session'() {
    const { measureLongSession } = await import('../test/bench/long-session.ts');
    const rows: Row[] = [];
    for (const runs of [1_000, 10]) {
      const figures = await measureLongSession(runs);
      const { megabytes, openMs, appendMs, appendShortMs, heapMegabytes, paintMs, longestTaskMs } = figures;
      const size = `20,000 events in ${runs} runs, ${mb(megabytes)}`;
      rows.push(
        [`opening ${size} (CPU of the host, and the panel until it is painted)`, `${ms(openMs)}, ${ms(paintMs)}`, '300 ms'],
        ['scrolling it, longest task', `${ms(longestTaskMs)} of CPU`, '50 ms'],
        ['adding an event to it (to a short session)', `${ms(appendMs)} (${ms(appendShortMs)}) of CPU`, ''],
        ['memory for it, compared to the size of its log', `${ratio(heapMegabytes / megabytes)} (${mb(heapMegabytes)})`, '0.1x'],
      );
    }
    return rows;
  },
  async steps() {
    const { measureSteps } = await import('../test/bench/steps.ts');
    return (await measureSteps()).flatMap(({ wire, early, late, growth, memoryEarly, memoryLate }): Row[] => [
      [`${wire}, processor time of step 2,000, compared to step 30`, `${ratio(growth)} (${ms(early)}, ${ms(late)})`, '1.5x'],
      [
        `${wire}, memory besides the messages at step 2,000, compared to step 30`,
        `${ratio(memoryLate / memoryEarly)} (${mb(memoryEarly)}, ${mb(memoryLate)})`,
        '1.5x',
      ],
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
  async 'documents-quality'() {
    const { measureQuality } = await import('../test/bench/document-quality/quality.ts');
    const { documents, failed, chunks, questions, unanswered, rankers } = await measureQuality(process.cwd(), await ripgrepOfEditor());
    const rows: Row[] = [[`documents (without text), passages, questions`, `${documents} (${failed}), ${chunks}, ${questions}`, '']];
    const share = (value: number) => value.toFixed(3);
    for (const { name, all, tuned, heldOut, short, later, kinds, silent, separation } of rankers) {
      for (const level of ['section', 'document', 'phrase'] as const) {
        const { recall5, recall10, mrr, ndcg } = all[level];
        const figure = `${share(recall5)}, ${share(recall10)}, ${share(mrr)}, ${share(ndcg)}`;
        rows.push([`${name}: recall at 5 and at 10, MRR, nDCG (${level})`, figure, name === 'BM25' && level === 'section' ? '0.850' : '']);
      }
      rows.push(
        [`${name}: recall at 5 of the half it was tuned on, and of the other`, `${share(tuned.recall5)}, ${share(heldOut.recall5)}`, ''],
        [
          `${name}: recall at 5 of shorter questions by another author, and of later questions`,
          `${share(short.recall5)}, ${share(later.recall5)}`,
          '',
        ],
        [`${name}: recall at 5 by kind`, kinds.map(({ kind, count, recall5 }) => `${kind} ${share(recall5)} (${count})`).join(', '), ''],
        [`${name}: ${unanswered} questions without an answer: no result; best score lower`, `${silent}; ${share(separation)}`, ''],
      );
    }
    return rows;
  },
  async edits() {
    const { measureEdits } = await import('../test/bench/edits.ts');
    const { editMs, patchMs, bareMs, bareFilesMs, ratio: times, readMs, bareReadMs, largeMs } = await measureEdits();
    const bare = `${ms(bareMs)}; one write per file: ${ms(bareFilesMs)}`;
    return [
      ['1,000 replacements over 200 files, compared to a bare loop', `${ratio(times)} (${ms(editMs)} to ${bare})`, '3x'],
      ['1,000 replacements as one patch of 200 files, compared to a bare loop', `${ratio(patchMs / bareMs)} (${ms(patchMs)})`, '3x'],
      ['reading 1,000 files (bare)', `${ms(readMs)} (${ms(bareReadMs)})`, ''],
      ['one replacement in a file of 10 MB', ms(largeMs), ''],
    ];
  },
  async formats() {
    const { measureReading } = await import('../test/bench/documents/formats.ts');
    return (await measureReading()).map(({ format, documentsPerSecond, megabytesPerSecond, pagesPerSecond }) => {
      const pages = pagesPerSecond === undefined ? '' : `${Math.round(pagesPerSecond)} pages/s, `;
      return [`reading ${format}`, `${pages}${Math.round(documentsPerSecond)} documents/s, ${megabytesPerSecond.toFixed(1)} MB/s`, ''];
    });
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
  async cancel() {
    const { measureCancel } = await import('../test/bench/cancel.ts');
    const { modelMs, commandMs } = await measureCancel();
    return [
      ['kedge acp, answer to a prompt that is cancelled while the model answers', ms(modelMs), '200 ms'],
      ['kedge acp, answer to a prompt that is cancelled while a command runs', ms(commandMs), '200 ms'],
    ];
  },
  async terminal() {
    const { measureCli } = await import('../test/bench/cli.ts');
    const { kedge, bare, stepRatio, fixedTokens } = await measureCli();
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

const mb = (value: number | undefined) => (value === undefined ? 'unknown' : `${Math.round(value)} MB`);
const ms = (value: number) => `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
const ratio = (value: number) => `${value.toFixed(2)}x`;

await main(process.argv.slice(2));
