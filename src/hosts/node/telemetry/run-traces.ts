/** Sends runs as traces to the collector in the user's settings. Without a collector, nothing is loaded or sent. */
import type { Assistant } from '../../../app/assistant.ts';
import type { Session } from '../../../app/session/session.ts';
import type { Exporter } from './exporter.ts';

/**
 * Returns the address to which traces are sent, or undefined if it is not an HTTP address. As usual for OTLP, the setting may contain only
 * the base address.
 */
export function tracesAddress(endpoint: string | undefined): string | undefined {
  const url = endpoint && URL.canParse(endpoint.trim()) ? new URL(endpoint.trim()) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}

const NEEDED_NODE = [22, 15] as const;

/** Returns a sentence for the user if runs cannot be sent with this version of Node. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needed, least] = NEEDED_NODE;
  if (major > needed || (major === needed && minor >= least)) return undefined;
  return `Traces need Node ${NEEDED_NODE.join('.')} or later, and this is Node ${version}, so runs are not sent. Update it, or remove the address of the collector.`;
}

/** The address is shown without its path and its password. */
function notSent(address: string, { message }: Error): string {
  const { origin } = new URL(address);
  return `The run could not be sent as a trace to ${origin}: ${message.replace(/\.?$/, '.')} Check that the collector is running, and its address.`;
}

export class RunTraces {
  readonly #unwatch: () => void;
  readonly #endpoint: () => string | undefined;
  readonly #exporters = new Map<string, Promise<Exporter>>();
  readonly #sending = new Set<Promise<void>>();
  readonly #onProblem: (text: string) => void;
  /** The addresses for which a problem was reported. */
  readonly #reported = new Set<string>();

  /**
   * `endpoint` returns the address of the collector, which is read at the end of each run. `onProblem` is called once for an address to which
   * a run could not be sent, with sentences that explain why to the user.
   */
  constructor(assistant: Pick<Assistant, 'watch'>, endpoint: () => string | undefined, onProblem: (text: string) => void) {
    this.#endpoint = endpoint;
    this.#onProblem = onProblem;
    this.#unwatch = assistant.watch((session, { type, runId }) => {
      if (type === 'run_finished' || type === 'run_paused') this.#send(session, runId);
    });
  }

  #send(session: Session, runId: string): void {
    const address = tracesAddress(this.#endpoint());
    if (address === undefined) return;
    const problem = nodeProblem(process.versions.node);
    if (problem !== undefined) {
      this.#report(address, problem);
      return;
    }
    const sending = this.#export(session, runId, address)
      // A collector that cannot be reached must not disturb a run.
      .catch((error: Error) => this.#report(address, notSent(address, error)))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  #report(address: string, problem: string): void {
    if (!this.#reported.has(address)) this.#onProblem(problem);
    this.#reported.add(address);
  }

  async #export(session: Session, runId: string, address: string): Promise<void> {
    // More events can arrive while the code is loading.
    const events = session.events.select((event) => event.runId === runId);
    const exporter = this.#exporters.get(address) ?? import('./exporter.ts').then(({ createExporter }) => createExporter(address));
    this.#exporters.set(address, exporter);
    const [{ spansOf }, send] = await Promise.all([import('../../../core/insights/spans.ts'), exporter]);
    const span = spansOf(events, runId, session.id);
    if (span) await send(span);
  }

  /** Resolves when all traces were sent, or when sending them has failed. */
  async flush(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  dispose(): void {
    this.#unwatch();
  }
}
