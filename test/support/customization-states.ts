/** Panel states with prompt files and hooks. */
import { host, type NamedState, Script, session } from './panel-states.ts';

const HOOKS = `.kedge/hooks.json
{
  "hooks": [
    { "event": "before_tool", "tools": ["command"], "command": "sh .kedge/check.sh \u202E", "required": true },
    { "event": "after_tool", "tools": ["edit"], "command": "npx prettier --check ." }
  ]
}`;

export function customizationStates(): Record<string, NamedState> {
  return {
    'prompt-files': {
      messages: [
        host('agent'),
        session(new Script(), false),
        {
          type: 'commands_found',
          commands: [
            { command: '/api-review', text: 'Reviews the API (for Ask mode, from .github/prompts/api-review.prompt.md)', takes: 'file' },
            { command: '/prompt agent', text: 'Works without questions (from .kedge/prompts/agent.md)' },
          ],
        },
      ],
      type: '/a',
    },
    'hooks-question': {
      messages: [
        host('agent'),
        session(
          new Script()
            .run('agent', 'Make the tests pass')
            .add({
              type: 'hook_ran',
              hook: 'no customer data',
              source: 'user',
              moment: 'before_prompt',
              outcome: 'notified',
              text: 'Nothing found.',
            })
            .calls('run_command', 'Run npm test', {})
            .add({
              type: 'question_asked',
              questionId: 'q',
              callId: 'call-1',
              question: {
                id: 'hooks',
                text: 'This workspace defines 2 hooks. Run them?',
                options: [{ label: 'Run these hooks' }, { label: 'Continue without them' }],
                command: { text: HOOKS, cwd: '.', shell: 'other' },
                reason:
                  'Hooks are commands. They run on this computer, outside of Kedge, at the events that they name, without further questions. You are asked again if the files change, or scripts in the workspace that they name.',
              },
            }),
          true,
        ),
      ],
    },
  };
}
