/** Stops reading a document that needs too much memory, before Node ends the thread and perhaps the program. */
import { getHeapStatistics } from 'node:v8';
import { DocumentError } from '../document.ts';

/** Measuring takes a few microseconds, so it is done only once in this many calls. */
const EVERY = 500;

let limit = Number.POSITIVE_INFINITY;
let calls = 0;

/** Limits the memory of the objects on this thread, in bytes. If this is not called, there is no limit. */
export function limitMemory(bytes: number): void {
  limit = bytes;
}

/** Every loop that can keep a lot of data must call this. @throws DocumentError */
export function checkMemory(): void {
  if (++calls % EVERY !== 0 || getHeapStatistics().used_heap_size <= limit) return;
  throw outOfMemory();
}

export function outOfMemory(): DocumentError {
  return new DocumentError('too-large', 'Reading the document needs too much memory. Split it into smaller documents.');
}

/** Returns the memory that this thread has, in bytes. Objects that are not used any more count until they are collected. */
export function memoryOfThread(): number {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}
