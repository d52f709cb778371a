/** The commands that run no model, such as `keys`, `undo` and `config`. They are loaded on demand. */
import type { AgentEvent } from '../../core/session/events.ts';
import type { StoredKeys } from '../node/keyring.ts';
import { EXIT } from './exit-codes.ts';
import { openKedge } from './kedge.ts';
import type { Command } from './options/arguments.ts';

type Other = Extract<Command, { action: 'other' }>;
type Running = { stored: () => StoredKeys; env: NodeJS.ProcessEnv; signal: AbortSignal; hooks: { shutDown?: () => Promise<void> } };

/** Resolves to the exit code. @throws UsageError if the words after the name of the command are invalid */
export async function runOther(command: Other, { stored, env, signal, hooks }: Running): Promise<number> {
  const { name, words } = command;
  switch (name) {
    case 'models':
      process.stdout.write((await import('./models-command.ts')).modelsText(env, stored().names));
      return EXIT.answered;
    case 'agents': {
      const kedge = openKedge(command, env);
      const ending = new AbortController();
      const { agents } = await import('./agents/agents.ts');
      const work = agents(kedge, words, { options: command, env, signal: AbortSignal.any([signal, ending.signal]) });
      // Git, which reads packages, ends before the program does.
      hooks.shutDown = async () => {
        ending.abort();
        await work.catch(() => undefined);
      };
      return work;
    }
    case 'keys': {
      const { keys, keysCommand } = await import('./options/keys.ts');
      const { stdin: input, stdout: output, stderr: prompts } = process;
      return (await keys(keysCommand(words), stored(), process.env, { input, output, prompts })) ? EXIT.answered : EXIT.stopped;
    }
    case 'undo': {
      const { undo } = await import('./undo.ts');
      const { assistant } = openKedge(command, env);
      // A signal stops the undo between two files, and the undo still reports what it has restored.
      hooks.shutDown = () => assistant.shutDown();
      return undo(assistant, words[0], { show: command.json ? printJson : undefined, signal });
    }
    case 'worktree': {
      const kedge = openKedge(command, env);
      hooks.shutDown = () => kedge.assistant.shutDown();
      const code = await (await import('./worktrees/worktrees.ts')).worktreeCommand(kedge, words, command, signal);
      await kedge.assistant.shutDown();
      return code;
    }
    case 'remember':
      return (await import('./remember.ts')).remember(openKedge(command, env).memory, { words, everywhere: command.all });
    case 'grants': {
      const { manageGrants, parseClear } = await import('./grants-command.ts');
      const { clear } = parseClear(words);
      return manageGrants(openKedge(command, env), clear);
    }
    case 'skills': {
      const [{ customizationsText }, { assistant }] = [await import('./customizations/prompt-files.ts'), openKedge(command, env)];
      const all = await (await assistant.customizations({ state: { rules: [] } })).list();
      process.stdout.write(command.json ? all.map((each) => `${JSON.stringify(each)}\n`).join('') : `${customizationsText(all)}\n`);
      return EXIT.answered;
    }
    case 'hooks': {
      const [{ hooksText }, { findHooks }] = [
        await import('./customizations/hooks-command.ts'),
        await import('../node/hooks/find-hooks.ts'),
      ];
      const { folders, storage } = openKedge(command, env);
      const port = await findHooks({ folders, storage, environment: () => ({ pass: [], withhold: [] }), env });
      process.stdout.write(`${hooksText(words, port, env)}\n`);
      return EXIT.answered;
    }
    case 'browser':
      return (await import('./browser/command.ts')).browserCommand(words, { env, yes: command.yes, signal });
    case 'completion':
      process.stdout.write((await import('./completion.ts')).completion(words));
      return EXIT.answered;
    default:
      return (await import('./config/command.ts')).configCommand(words, command.json);
  }
}

function printJson(event: AgentEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
