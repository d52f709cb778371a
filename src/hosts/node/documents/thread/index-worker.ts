/**
 * The thread that writes the indexes of collections and searches in them. It is an entry point of its own. The program lists the documents and
 * reads their files, because it decides what may be read.
 */
import { parentPort } from 'node:worker_threads';
import type { SearchOptions, Source } from '../../../../documents/collections.ts';
import { LocalIndexWork } from '../../../../documents/store/index-work.ts';
import type { SourceDocument, UpdateLimits } from '../../../../documents/store/sources.ts';
import { DocumentReader } from '../reader.ts';
import { Calls } from './calls.ts';
import type { Batch } from './index-thread.ts';

const work = new LocalIndexWork();
const reader = new DocumentReader();
let lists = 0;

if (parentPort) {
  const program: Calls = new Calls(parentPort, {
    update: (signal, update: number, directory: string, sources: readonly Source[], limits?: UpdateLimits) =>
      work.update(
        directory,
        sources,
        {
          list: (source) => listed(program, [update, ++lists, sources.indexOf(source)], signal),
          away: async (source, keys) => (await program.call('away', [update, sources.indexOf(source), keys])) as string[],
          read: reader.read,
        },
        { signal, notify: (event) => program.tell('notify', [update, event]), ...(limits && { limits }) },
      ),
    candidates: (signal, directory: string, query: string, options: SearchOptions) => work.candidates(directory, query, options, signal),
    clear: (_, directory: string) => work.clear(directory),
    recover: (_, directory: string) => work.recover(directory),
    close: () => Promise.all([work.close(), reader.dispose()]).then(() => undefined),
  });
}

type List = [update: number, list: number, source: number];

async function* listed(program: Calls, list: List, signal: AbortSignal): AsyncGenerator<SourceDocument> {
  const [update] = list;
  for (;;) {
    const { documents, done } = (await program.call('list', list, signal)) as Batch;
    for (const { number, ...document } of documents)
      yield { ...document, bytes: async (stop) => (await program.call('bytes', [update, number], stop)) as Uint8Array };
    if (done) return;
  }
}
