/** `kedge docs add` and `kedge docs update`: indexes what has changed, and shows the progress. */
import { existsSync } from 'node:fs';
import type { Embedder } from '../../../documents/embeddings/embedder.ts';
import type { EmbeddingCost, EmbeddingEvent } from '../../../documents/embeddings/update.ts';
import { reportText, type UpdateEvent } from '../../../documents/store/sources.ts';
import type { DocumentStore } from '../../../documents/store/store.ts';
import { configFile } from '../../node/config-path.ts';
import { sourcePorts } from '../../node/documents/ports.ts';
import { NodeFileSystem } from '../../node/files/file-system.ts';
import { parseCommand } from '../options/arguments.ts';
import { readPolicy } from '../options/policy.ts';
import { oneLine, paintFor } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import { type CommandContext, confirmed } from '../sessions/context.ts';

/** Stops at the first Ctrl+C; what was not reached is done by the next update. */
export async function updateCollections(store: DocumentStore, names: readonly string[], context: CommandContext): Promise<number> {
  const { kedge } = context;
  const ports = sourcePorts(new NodeFileSystem(kedge.folders), (await policyOf(kedge.folders)).rules);
  // A wrong setting is reported before the work.
  const embedder = context.values['no-embeddings'] === true ? undefined : await kedge.documents.embedder();
  const { signal, values } = context;
  let code: number = EXIT.answered;
  for (const name of names) {
    const show = values.json === true ? showJson(name) : showProgress(name);
    try {
      const report = await store.update(name, ports, { signal, notify: show.event });
      show.end();
      if (values.json === true) process.stdout.write(`${JSON.stringify({ type: 'updated', collection: name, ...report })}\n`);
      else process.stderr.write(`${name}: ${reportText(report)}\n`);
      if (report.failed > 0 && values.json !== true) process.stderr.write(`To see why: kedge docs show ${name} --failed\n`);
      if (report.problems.length > 0) code = EXIT.failed;
      if (embedder && !(await embedCollection(store, name, embedder, show, context))) code = EXIT.failed;
    } catch (error) {
      show.end();
      if (!signal.aborted) throw error;
      process.stderr.write(`Stopped. To continue: kedge docs update ${name}\n`);
      return EXIT.stopped;
    }
  }
  return code;
}

/** Resolves to false if the embeddings are incomplete because of a failure. */
async function embedCollection(
  store: DocumentStore,
  name: string,
  embedder: Embedder,
  show: Shown,
  context: CommandContext,
): Promise<boolean> {
  const { signal, values } = context;
  const { costText, embeddingText } = await import('../../../documents/embeddings/cost.ts');
  const isJson = values.json === true;
  const confirm = async (cost: EmbeddingCost) => {
    const text = oneLine(costText(cost), 1_000);
    if (isJson) process.stdout.write(`${JSON.stringify({ type: 'embedding_cost', ...cost })}\n`);
    if (values.yes === true) {
      if (!isJson) process.stderr.write(`${text}\n`);
      return true;
    }
    if (process.stdin.isTTY !== true) {
      process.stderr.write(`${text} No terminal is connected, so nobody could be asked. Add --yes to compute them.\n`);
      return false;
    }
    return confirmed(`${text} Compute them?`, context);
  };
  const report = await store.embed(name, embedder, { signal, notify: show.embedding, confirm });
  show.end();
  if (isJson) process.stdout.write(`${JSON.stringify({ type: 'embedded', collection: name, ...report })}\n`);
  else if (report.embedded + report.todo + report.withheld > 0)
    process.stderr.write(`${name}: ${oneLine(embeddingText(report, `To continue: kedge docs update ${name}`), 1_000)}\n`);
  return report.problem === undefined;
}

/** The rules of the configuration file apply as they do to a run. */
async function policyOf(folders: readonly string[]) {
  const file = configFile();
  const given = parseCommand(['--version']);
  const { command } = existsSync(file) ? (await import('../config/configured.ts')).configured(given, file) : { command: given };
  return readPolicy(command, folders, (problem) => void process.stderr.write(`kedge: ${oneLine(problem, 1_000)}\n`));
}

type Shown = { event(event: UpdateEvent): void; embedding(event: EmbeddingEvent): void; end(): void };

function showJson(collection: string): Shown {
  const event = (each: UpdateEvent | EmbeddingEvent) => void process.stdout.write(`${JSON.stringify({ ...each, collection })}\n`);
  return { event, embedding: event, end: () => undefined };
}

const EVERY_MS = 100;
const USUAL_COLUMNS = 80;

/** In a terminal, one line shows the progress. Failures and problems are printed above it. */
function showProgress(name: string): Shown {
  const output = process.stderr;
  const paint = paintFor(output);
  let [shownAt, isShown] = [0, false];
  const clear = () => {
    if (isShown) output.write('\r\u001b[K');
    isShown = false;
  };
  const progress = (text: string) => {
    if (!output.isTTY || performance.now() - shownAt < EVERY_MS) return;
    clear();
    output.write(paint.dim(oneLine(text, (output.columns || USUAL_COLUMNS) - 2)));
    [shownAt, isShown] = [performance.now(), true];
  };
  return {
    event(event) {
      if (event.type === 'listed') progress(`${name}: ${event.todo} of ${event.documents} documents to index`);
      else if (event.type === 'problem') {
        clear();
        output.write(`kedge: ${oneLine(event.message, 1_000)}\n`);
      } else {
        progress(`${name}: ${event.done} of ${event.todo}  ${event.key}`);
        if (event.result !== 'failed') return;
        clear();
        output.write(`${oneLine(event.key)}: ${oneLine(event.message ?? 'could not be read', 500)}\n`);
      }
    },
    embedding: (event) => progress(`${name}: ${event.type === 'waiting' ? event.message : `${event.done} of ${event.todo} embeddings`}`),
    end: clear,
  };
}
