import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { notificationText } from '../../../../src/hosts/vscode/notification-text.ts';

/** Matches text that VS Code displays as a link in a notification. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:\/\/)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;

describe('the text of a notification', () => {
  it('contains no link, whatever a title or path in it says', () => {
    const title = 'Tides [details](command:workbench.action.quit) [[a]](https://x.example "b")';
    assert.match(title, LINK);
    assert.equal(notificationText(title), 'Tides [details] (command:workbench.action.quit) [[a]] (https://x.example "b")');
    assert.doesNotMatch(notificationText(title), LINK);
  });

  it('is made so wherever it is not a fixed one', () => {
    const calls = globSync('src/hosts/vscode/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bshow(?:Information|Warning|Error)Message\(\s*([^\n]+)/g)].map(([, argument = '']) => ({
        file,
        argument,
      })),
    );
    assert.ok(calls.length > 10);
    assert.deepEqual(
      calls.filter(({ argument }) => !/^(?:notificationText\(|')/.test(argument)),
      [],
    );
    const aliases = globSync('src/hosts/vscode/**/*.ts').filter((file) =>
      /\bshow(?:Information|Warning|Error)Message\b(?!\()/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(aliases, ['src/hosts/vscode/attention/attention.ts']);
    assert.match(readFileSync(aliases[0] ?? '', 'utf8'), /\bshow\(notificationText\(/);
  });
});
