/** Shows an agent of the workspace to the user before it runs. */
import { narrowingLines } from '../../../agents/describe.ts';
import type { ListedAgent } from '../../../app/agents/agents.ts';
import type { AgentsPort } from '../../../app/ports.ts';
import { SessionError } from '../../../app/session/session-error.ts';
import { visibleLine } from '../../../core/words/visible-text.ts';
import type { AgentFiles } from '../../node/agent-files.ts';
import { harmless, oneLine } from '../output/terminal.ts';
import { linesOf } from '../questions.ts';

export function agentsPort(files: AgentFiles, canChooseModel: boolean, review: AgentsPort['review'] = reviewAgent): AgentsPort {
  return {
    userFiles: () => files.userFiles(),
    accepted: (path) => files.accepted(path),
    accept: (path, digest) => files.accept(path, digest),
    review,
    hasModel: () => canChooseModel,
  };
}

/** The complete prompt is shown on request. @throws SessionError without a terminal */
async function reviewAgent(agent: ListedAgent): Promise<boolean> {
  if (!process.stdin.isTTY) {
    const { name } = agent;
    throw new SessionError(
      `The agent ${name} of this workspace did not run, because you have not accepted it. To see and accept it: kedge agents accept ${name}`,
    );
  }
  const lines = linesOf(process.stdin);
  let text = reviewText(agent);
  for (;;) {
    const answer = await lines.ask(`${text}Use it? y = yes, p = show its prompt, n = no > `, new AbortController().signal);
    if (answer === undefined || /^\s*no?\s*$/i.test(answer)) return false;
    if (/^\s*y(es)?\s*$/i.test(answer)) return true;
    text = /^\s*p\s*$/i.test(answer) ? `\n${harmless(agent.prompt) || 'The file has no prompt.'}\n\n` : '';
  }
}

/** Every line begins with a bar, so that a text of the file does not look like one of Kedge. */
export function reviewText(agent: ListedAgent): string {
  const { name, path = '', review, description, problems } = agent;
  const what = review === 'changed' ? 'has changed since you accepted it' : 'is used for the first time';
  const rows = [
    `file: ${visibleLine(path)}`,
    ...(description ? [`description: ${description}`] : []),
    ...narrowingLines(agent),
    ...problems,
  ];
  const bars = rows.map((row) => `  │ ${oneLine(row, 500)}\n`).join('');
  return `\nThe agent ${name} of this workspace ${what}. It can do nothing that you have not allowed.\n${bars}`;
}
