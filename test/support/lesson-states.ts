/** Panel states with a proposed lesson: as it is proposed, and while it is edited. */
import { host, type NamedState, Script, session } from './panel-states.ts';

const TEXT =
  'Task: Repair the tests of the tide parser. Failed: `npm test -- tide` (2 times, exit 1). Worked: `npx mocha test/tide.test.ts`. Changed: src/tide.ts.';

export function lessonStates(): Record<string, NamedState> {
  const done = new Script()
    .run('agent', 'Repair the tests of the tide parser')
    .turn()
    .says('The tests pass. They run with `npx mocha test/tide.test.ts`.')
    .finishes();
  const messages: NamedState['messages'] = [
    host('agent'),
    session(done, false),
    { type: 'lesson', lesson: { runId: done.runId, text: TEXT } },
  ];
  const waitFor = '[aria-label^="Remember this"]';
  return { lesson: { messages, waitFor }, 'lesson-edited': { messages, waitFor, press: ['Edit what to remember'] } };
}
