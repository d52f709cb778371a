/** States of the panel that show the pages about permissions and MCP servers. */
import { DEFAULT_LIMITS } from '../../src/app/limits.ts';
import type { Grant } from '../../src/core/session/grant-scope.ts';
import type { PermissionOverview } from '../../src/core/view/permissions.ts';
import { narrowRules, permissionRows } from '../../src/policy/overview.ts';
import { type SourcedRule, sessionRules } from '../../src/policy/rules.ts';
import type { PageData } from '../../src/protocol/pages.ts';
import type { ToPanel } from '../../src/protocol/panel.ts';
import { host, type NamedState, Script, session } from './panel-states.ts';

const RULES: SourcedRule[] = [
  ...sessionRules([{ about: { action: 'network' }, effect: 'deny' }]),
  { effect: 'ask', server: 'weather-station-of-the-northern-harbour', from: 'user' },
  { effect: 'allow', command: 'npm test', from: 'user' },
  { effect: 'deny', path: 'src/generated/**', tool: '{create_file,apply_patch}', from: 'workspace' },
];
const SERVERS = ['github', 'weather-station-of-the-northern-harbour'];
const GRANTS: Grant[] = [{ scope: 'session', covers: { kind: 'edits' }, runId: '' }];

export function permissionsData({ trusted = true, rules = RULES } = {}): PermissionOverview {
  return {
    rows: permissionRows({ trusted, hasFolder: true, rules, grants: trusted ? GRANTS : [], servers: SERVERS }),
    rules: narrowRules(rules, SERVERS),
    grants: trusted
      ? [
          { scope: 'session', covers: { kind: 'edits' }, text: 'edits in this workspace', at: Date.UTC(2026, 10, 23, 9, 15) },
          {
            scope: 'workspace',
            covers: { kind: 'command', prefix: ['npm', 'run', 'lint'] },
            text: 'commands that begin with npm run lint in the top folder',
            at: Date.UTC(2026, 10, 20, 9, 15),
            title: 'Run npm run lint -- --fix',
          },
          { scope: 'workspace', covers: { kind: 'host', host: 'docs.example.com' }, text: 'requests to docs.example.com' },
        ]
      : [],
    readOnlyCommands: trusted,
    trusted,
    problems: trusted
      ? []
      : [
          'Rule 2 of kedge.policy.rules of your settings is not valid: path: Invalid input. Until it is fixed, every call needs your approval.',
        ],
  };
}

const INVALID = 'The MCP server tides cannot be used: it needs a command or a url. Correct its settings.';

export const SERVERS_DATA: PageData['servers'] = {
  trusted: true,
  servers: [
    {
      name: 'github',
      state: 'running',
      log: 'GitHub MCP Server running on stdio\n',
      tools: [
        {
          name: 'create_issue',
          description: 'Create a new issue in a GitHub repository, with a title, a body, labels and assignees',
          use: 'asks',
        },
        { name: 'delete_repository', description: 'Delete a repository', use: 'off' },
        { name: 'list_issues', description: '', use: 'reads' },
      ],
    },
    {
      name: 'harbour-database',
      state: 'failed',
      error: 'The MCP server harbour-database cannot be used: Connection closed. Its error output: no database. Check its settings.',
      log: 'Connecting to postgres://localhost:5432/harbour\nError: connect ECONNREFUSED 127.0.0.1:5432\nno database\n',
    },
    { name: 'memory', state: 'off' },
    { name: 'search', state: 'starting' },
    { name: 'tides', state: 'invalid', error: INVALID },
    { name: 'weather-station-of-the-northern-harbour', state: 'stopped' },
  ],
};

export const MODELS_DATA: PageData['models'] = {
  general: 'openai/gpt-6.1-sol',
  modes: [
    { mode: 'ask', own: '', set: {}, limits: { ...DEFAULT_LIMITS.ask, turns: 30 }, defaults: DEFAULT_LIMITS.ask },
    {
      mode: 'plan',
      own: 'openai',
      problem: '"openai" is not a model. Write it as provider/model.',
      set: {},
      limits: DEFAULT_LIMITS.plan,
      defaults: DEFAULT_LIMITS.plan,
    },
    {
      mode: 'agent',
      own: 'openrouter/qwen/qwen3-coder',
      set: { turns: 100 },
      limits: { ...DEFAULT_LIMITS.agent, turns: 100 },
      defaults: DEFAULT_LIMITS.agent,
    },
  ],
  run: { usd: 2.5 },
  session: { turns: 20 },
};

const page = (
  name: 'permissions' | 'servers' | 'models',
  data: PageData['permissions'] | PageData['servers'] | PageData['models'],
): ToPanel[] => [host('agent'), session(new Script(), false), { type: 'show_page', name }, { type: 'page', name, data } as ToPanel];

export function permissionStates(): Record<string, NamedState> {
  return {
    permissions: { messages: page('permissions', permissionsData()) },
    'permissions-everywhere': { messages: page('permissions', permissionsData()), press: ['Everywhere'] },
    'permissions-untrusted': { messages: page('permissions', permissionsData({ trusted: false })), press: ['Workspace'] },
    'permissions-granted': { messages: page('permissions', permissionsData()), press: ['Revoke: requests to docs.example.com'] },
    models: { messages: page('models', MODELS_DATA) },
    servers: { messages: page('servers', SERVERS_DATA), press: ['Log'] },
    'servers-none': { messages: page('servers', { servers: [], trusted: false }) },
  };
}
