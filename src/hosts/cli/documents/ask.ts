/** `kedge docs ask`: answers questions from collections of documents, with checked sources. */
import { type Answer, answerQuestion, MAX_CALLS } from '../../../app/answer/answer.ts';
import { passagesIn } from '../../../app/answer/document-citations.ts';
import { type DocumentSource, documentsSubject } from '../../../app/answer/documents.ts';
import type { Session } from '../../../app/session/session.ts';
import type { Cost, Usage } from '../../../core/model/messages.ts';
import type { AgentEvent } from '../../../core/session/events.ts';
import { dollars, tokens } from '../../../core/words/amounts.ts';
import { openKedge } from '../kedge.ts';
import { type Command, UsageError } from '../options/arguments.ts';
import { chosenModel, missingKey } from '../options/environment.ts';
import { harmless, oneLine, paintFor } from '../output/terminal.ts';
import { linesOf } from '../questions.ts';
import { driveRun, EXIT } from '../run-session.ts';
import { checkedStream } from './checked-stream.ts';
import { namesOfCollections } from './names.ts';
import { withoutConfidence } from './streamed-answer.ts';

type AskCommand = Extract<Command, { action: 'ask-documents' }>;

/** Limits of one question, besides its tool calls. Options on the command line replace them. */
const LIMITS = { turns: 14 };
const USE_CASE = 'The user wants to know.';
const HELP = `/help                 show this help
/collections          list the collections; with names: search only these, such as /collections handbook,manuals
/use-case WORDS       say what the answers are for
/clear                forget the conversation
/verbose              show or hide each step
/quit                 leave`;

export async function askDocuments(
  command: AskCommand,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  hooks: { shutDown?: () => Promise<void> },
): Promise<number> {
  const { values, json } = command;
  const isInteractive = values.interactive === true;
  if (isInteractive && json) throw new UsageError('--interactive and --json cannot be used together.');
  const only = namesOfCollections(values);
  /** The collections that the runs can read. */
  const scope: Scope = { names: [] };
  const kedge = openKedge({ ...command, yes: false, limits: { ...LIMITS, ...command.limits } }, env, undefined, {
    adapt: (ports) => ({
      ...ports,
      documents: async () => {
        const port = await kedge.documents.forRuns(scope.names);
        return port && { ...port, alone: true };
      },
    }),
  });
  hooks.shutDown = () => kedge.assistant.shutDown();
  try {
    await kedge.documents.expectNames(only).catch((error: Error) => {
      throw new UsageError(error.message);
    });
    const all = await kedge.documents.names({ only, noGlobal: values['no-global'] });
    scope.names = all;
    if (all.length === 0) throw new UsageError('There are no collections of documents. Add one: kedge docs add NAME FOLDER');
    const model = chosenModel(command.model, env) ?? { provider: 'offline', model: 'offline' };
    kedge.expectPrice(model);
    const open = async () => {
      const session = await kedge.assistant.newSession();
      const { config } = await kedge.use(model, session, signal);
      const missing = missingKey(model, config);
      if (missing) throw new Error(missing);
      return session;
    };
    const asker = new Asker(command, signal);
    const query = command.prompt.join(' ').trim();
    const useCase = values['use-case']?.trim() || ((await asker.question('What is the answer for? (Enter to skip) > ', !json)) ?? '');
    const session = await open();
    if (!isInteractive) {
      const answer = await asker.ask(session, all, { query, useCase: useCase || USE_CASE });
      return answer ? EXIT.answered : signal.aborted ? EXIT.stopped : EXIT.failed;
    }
    return await converse(asker, { session, open, scope, all, query, useCase });
  } finally {
    await kedge.documents.close();
    await kedge.assistant.shutDown();
  }
}

type Scope = { names: readonly string[] };

type Conversation = {
  session: Session;
  open(): Promise<Session>;
  scope: Scope;
  all: readonly string[];
  query: string;
  useCase: string;
};

async function converse(asker: Asker, { session, open, scope, all, query, ...given }: Conversation): Promise<number> {
  let { useCase } = given;
  let current = session;
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  say(`Collections: ${all.join(', ')}. /help shows the commands.`);
  for (let line: string | undefined = query; line !== undefined; line = await asker.question('docs > ')) {
    const [, name, words = ''] = /^\/(\S+)\s*(.*)$/s.exec(line.trim()) ?? [];
    if (line.trim() === '') continue;
    if (name === undefined) await asker.ask(current, scope.names, { query: line.trim(), useCase: useCase || USE_CASE });
    else if (name === 'quit' || name === 'exit') break;
    else if (name === 'help') say(HELP);
    else if (name === 'verbose') {
      asker.isVerbose = !asker.isVerbose;
      say(asker.isVerbose ? 'Each step is shown.' : 'Steps are hidden.');
    } else if (name === 'use-case') {
      useCase = words.trim();
      say(useCase ? `The answers are for: ${harmless(useCase)}` : 'The purpose of the answers was removed.');
    } else if (name === 'clear') {
      current = await open();
      say('A new conversation begins.');
    } else if (name === 'collections') {
      const wanted = words.split(/[\s,]+/).filter(Boolean);
      const missing = wanted.find((each) => !all.includes(each));
      if (missing === undefined && wanted.length > 0) scope.names = wanted;
      say(
        missing === undefined
          ? `Searched: ${scope.names.join(', ')}. All: ${all.join(', ')}.`
          : `There is no collection ${oneLine(missing)}.`,
      );
    } else say(`There is no command /${oneLine(name)}. See /help.`);
  }
  return EXIT.answered;
}

/** Asks questions in a session, and prints their answers. */
class Asker {
  isVerbose: boolean;
  readonly #command: AskCommand;
  readonly #signal: AbortSignal;

  constructor(command: AskCommand, signal: AbortSignal) {
    this.isVerbose = command.values.verbose === true;
    this.#command = command;
    this.#signal = signal;
  }

  /** Resolves to undefined if nobody can be asked. */
  async question(prompt: string, isAsked = true): Promise<string | undefined> {
    return isAsked && process.stdin.isTTY === true ? linesOf(process.stdin).ask(prompt, this.#signal) : undefined;
  }

  /** Resolves to undefined if the run failed, which the run itself has reported. */
  async ask(
    session: Session,
    names: readonly string[],
    question: { query: string; useCase: string },
  ): Promise<Answer<DocumentSource> | undefined> {
    const { json, limits } = this.#command;
    const isAttended = !json && process.stdin.isTTY === true;
    const before = spentIn(session);
    const unsubscribe = json ? () => undefined : await this.#show(session, names);
    let answer: Answer<DocumentSource> | undefined;
    try {
      const start = async () => {
        const asking = { signal: this.#signal, calls: limits.callsPerRun ?? MAX_CALLS, isAttended };
        answer = await answerQuestion(session, question, documentsSubject(names), asking);
      };
      await driveRun(session, start, { interactive: isAttended, yes: false }, this.#signal);
    } catch (error) {
      if (json || session.state.lastRun?.outcome !== 'failed') throw error;
    } finally {
      unsubscribe();
    }
    const spent = since(before, spentIn(session));
    if (answer && json) process.stdout.write(`${JSON.stringify({ ...answer, session: session.id, ...spent })}\n`);
    else if (answer) this.#print(answer);
    // The renderer of all steps has already printed what each run has used.
    if (!json && !this.isVerbose) printSpent(spent);
    return answer;
  }

  async #show(session: Session, names: readonly string[]): Promise<() => void> {
    const { TextRenderer } = await import('../output/text-renderer.ts');
    const { QuietRenderer } = await import('../output/quiet-renderer.ts');
    const renderer = new (this.isVerbose ? TextRenderer : QuietRenderer)(process.stdout, process.stderr, process.stdin.isTTY === true);
    const checked = checkedStream(
      () => names,
      () => passagesIn(session.events),
      (event) => this.#isOfLimit(event) || renderer.handle(event),
    );
    return session.subscribe(withoutConfidence(checked));
  }

  /** A run that reaches its limit of tool calls is followed by one that answers. The note about the answer says so. */
  #isOfLimit(event: AgentEvent): boolean {
    if (event.type === 'run_finished') return event.outcome === 'stopped' && !this.#signal.aborted;
    return event.type === 'budget_reached' || event.type === 'run_paused';
  }

  /** The answer itself was printed while it arrived. */
  #print({ sources, confidence, note }: Answer<DocumentSource>): void {
    const paint = paintFor(process.stdout);
    const lines = [
      '',
      ...(sources.length > 0 ? [paint.bold('Sources'), ...sources.map((source) => `- ${sourceText(source)}`)] : []),
      `${paint.bold('Confidence')}: ${confidence}${note ? `. ${oneLine(note, 1_000)}` : ''}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

export function sourceText({ collection, document, section, page, lines }: DocumentSource): string {
  const place =
    page !== undefined
      ? `page ${page}`
      : lines && (lines.includes('!') ? oneLine(lines) : `${lines.includes('-') ? 'lines' : 'line'} ${lines}`);
  return [oneLine(`${collection}/${document}`), place, section && oneLine(section)].filter(Boolean).join(', ');
}

type Spent = { usage: Usage; cost?: Cost };

function spentIn({ state: { usage, cost } }: Session): Spent {
  return { usage: { ...usage }, ...(cost.usd !== undefined && { cost: { ...cost, usd: cost.usd } }) };
}

/** A question can take two runs, if it reaches the limit of tool calls. */
function since(before: Spent, after: Spent): Spent {
  const counts = Object.entries(after.usage).map(([count, all]) => [count, all - (before.usage[count as keyof Usage] ?? 0)]);
  const cost = after.cost && { ...after.cost, usd: after.cost.usd - (before.cost?.usd ?? 0) };
  return { usage: Object.fromEntries(counts) as Usage, ...(cost && { cost }) };
}

function printSpent({ usage: { input, output }, cost }: Spent): void {
  const facts = [
    input !== undefined && `${tokens(input)} tokens in`,
    output !== undefined && `${tokens(output)} out`,
    cost && dollars(cost),
  ].filter(Boolean);
  if (facts.length > 0) process.stderr.write(`${paintFor(process.stderr).dim(facts.join(' · '))}\n`);
}
