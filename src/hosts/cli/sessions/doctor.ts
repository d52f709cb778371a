/** `kedge doctor`: checks and repairs the data that Kedge has stored for a folder. */
import { examine } from '../../../app/library/doctor.ts';
import { harmless } from '../output/terminal.ts';
import { EXIT } from '../run-session.ts';
import type { CommandContext } from './context.ts';
import { placesIn } from './sessions.ts';
import { countText } from './text.ts';

export async function doctor({ kedge, values }: CommandContext): Promise<number> {
  const { assistant, storage } = kedge;
  const open = async (id: string) => {
    const session = await assistant.session(id);
    if (!session) throw new Error('The session has been deleted.');
    return session;
  };
  let [found, left] = [0, 0];
  for await (const finding of examine(placesIn(storage), values.check !== true, open)) {
    found++;
    if (!finding.repaired) left++;
    if (values.json) process.stdout.write(`${JSON.stringify(finding)}\n`);
    else
      process.stdout.write(
        `${finding.repaired ? '●' : '✗'} ${harmless(finding.problem)}${finding.repaired ? ` ${finding.repaired}` : ''}\n`,
      );
  }
  const { length } = await assistant.sessions();
  if (!values.json && found === 0) process.stdout.write(`${countText(length, 'session')} checked. No problems were found.\n`);
  return left > 0 ? EXIT.failed : EXIT.answered;
}
