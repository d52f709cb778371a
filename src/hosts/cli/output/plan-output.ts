import { writeFileSync } from 'node:fs';
import type { Session } from '../../../app/session/session.ts';
import { planMarkdown } from '../../../core/view/plan-markdown.ts';

/** Writes the session's last plan and its progress as Markdown. @throws Error if the file cannot be written */
export function writePlan(session: Session, file: string): void {
  const last = session.plans.list().at(-1);
  if (!last) {
    process.stderr.write(`The session has no plan, so ${file} was not written.\n`);
    return;
  }
  try {
    writeFileSync(file, planMarkdown(last.plan, session.state.runs.get(last.runId ?? '')));
  } catch (error) {
    throw new Error(`The plan could not be written to ${file}: ${(error as Error).message}. Choose another file with --output.`);
  }
  process.stderr.write(`The plan was written to ${file}.\n`);
}
