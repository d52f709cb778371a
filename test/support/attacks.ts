import assert from 'node:assert/strict';
import type { Decision } from '../../src/core/session/effects.ts';
import type { Shell } from '../../src/policy/commands/shells/syntax.ts';

/** A command that an attacker could make a model call. */
export type Attack = {
  name: string;
  command: string;
  /** Prefixes that the user allowed, separated by commas. */
  allow: string;
  deny?: string;
  verdict?: 'ask' | 'deny';
  shell?: Shell;
};

export type AttackedCommand = { command: string; shell: Shell; allow: string[]; deny: string[] };

export const attack = (name: string, allow: string, command: string, more: Partial<Attack> = {}): Attack => ({
  name,
  command,
  allow,
  ...more,
});

/** Returns attacks with commands that these allowed prefixes do not cover. */
export const under = (allow: string, ...commands: string[]): Attack[] =>
  commands.map((command) =>
    attack(allow === '' ? 'a command that only seems to read' : `a command that ${allow} does not cover`, allow, command),
  );

export const inPowerShell = (allow: string, ...commands: string[]): Attack[] =>
  under(allow, ...commands).map((each) => ({ ...each, shell: 'powershell' }));

const list = (text = '') => text.split(',').filter((each) => each !== '');

/** Defines a test for each attack: no attack may run without approval. */
export function expectStopped(attacks: readonly Attack[], judge: (command: AttackedCommand) => Promise<Decision>): void {
  for (const { name, command, allow, deny, verdict = 'ask', shell = 'bash' } of attacks)
    it(`${verdict === 'deny' ? 'denies' : 'asks before'} ${name}: ${JSON.stringify(command).slice(0, 100)}`, async () => {
      const { kind, rule, reason } = await judge({ command, shell, allow: list(allow), deny: list(deny) });
      assert.equal(kind, verdict, `${rule}: ${reason}`);
      assert.notEqual(reason, '');
    });
}
