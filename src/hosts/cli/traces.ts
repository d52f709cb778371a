/** Sends runs as traces to the collector that the user set in the environment. */
import type { Assistant } from '../../app/assistant.ts';
import { RunTraces, tracesAddress } from '../node/telemetry/run-traces.ts';
import { UsageError } from './options/arguments.ts';
import { oneLine } from './output/terminal.ts';

/** @throws UsageError if the address of the collector is not valid */
export function tracesTo(endpoint: string, assistant: Assistant): RunTraces {
  if (!tracesAddress(endpoint)) throw new UsageError('KEDGE_OTLP_ENDPOINT must be an address such as http://localhost:4318.');
  return new RunTraces(
    assistant,
    () => endpoint,
    (text) => process.stderr.write(`kedge: ${oneLine(text, 1_000)}\n`),
  );
}
