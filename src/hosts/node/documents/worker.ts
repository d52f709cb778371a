/**
 * The thread that reads documents. It is an entry point of its own. The program ends this thread when a document takes too long, so nothing
 * else may run here.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentError } from '../../../documents/document.ts';
import { limitMemory, memoryOfThread, outOfMemory } from '../../../documents/formats/memory.ts';
import { readContent } from '../../../documents/formats/read.ts';
import type { ReadMessage, ReadRequest, ThreadData } from './messages.ts';

// No parser needs the network. The decompression of the platform would unpack a whole stream before its size can be checked, so pdf.js must
// use its own, which is slow enough to be stopped.
for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest', 'DecompressionStream'])
  Object.defineProperty(globalThis, name, { value: undefined, configurable: true });

function send(message: ReadMessage): void {
  parentPort?.postMessage(message);
}

async function answer({ id, path, bytes }: ReadRequest): Promise<void> {
  const hooks = {
    onReading: () => send({ id, kind: 'started' }),
    onPages: (count: number) => send({ id, kind: 'pages', count }),
  };
  try {
    send({ id, kind: 'read', document: await readContent(path, bytes, hooks), kept: memoryOfThread() });
  } catch (error) {
    const { problem, message } = error instanceof DocumentError ? error : unexpected(error);
    send({ id, kind: 'failed', problem, message, kept: memoryOfThread() });
  }
}

/** The error message of a package does not help the user, and may quote the document. */
function unexpected(error: unknown): { problem: 'too-large' | 'damaged'; message: string } {
  if (error instanceof RangeError && /allocation|array length|string length/i.test(error.message))
    return { problem: 'too-large', message: outOfMemory().message };
  return { problem: 'damaged', message: 'The document is damaged and could not be read. Open it in its program and save it again.' };
}

limitMemory((workerData as ThreadData).maxHeapBytes);
parentPort?.on('message', (request: ReadRequest) => void answer(request));
// pdf.js rejects promises that nobody awaits when a document is damaged.
process.on('unhandledRejection', () => {});
