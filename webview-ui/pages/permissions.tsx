import { useState } from 'preact/hooks';
import { type Action, permissionKey, type Subject } from '../../src/core/session/grant-scope.ts';
import {
  type GrantRow,
  LEVELS,
  type Level,
  type NarrowRule,
  type PermissionEffect,
  type PermissionOverview,
  type PermissionRow,
} from '../../src/core/view/permissions.ts';
import type { RequestOf } from '../../src/protocol/pages.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Choice } from '../components/choice.tsx';
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icons.ts';
import { Problem } from '../components/problem.tsx';
import { timeText } from '../format.ts';
import { post } from '../host.ts';

const send = (request: RequestOf<'permissions'>) => post({ type: 'page_request', request });

const LEVEL_NAMES: Record<Level, string> = { session: 'This session', workspace: 'This workspace', user: 'Everywhere' };
const SHORT_NAMES: Record<Level, string> = { session: 'Session', workspace: 'Workspace', user: 'Everywhere' };
const STORED: Record<Level, string> = {
  session: 'Applies only to this session, and replaces your earlier choice for it.',
  workspace: 'Ask and Deny are stored in the settings of this workspace. Allow is stored outside the workspace.',
  user: 'Stored in your user settings. Applies to all workspaces.',
};
const ACTION_NAMES: Record<Action, string> = {
  read: 'Read files',
  edit: 'Edit files',
  delete: 'Delete files',
  command: 'Run commands',
  network: 'Open web pages',
  mcp: 'Use MCP servers',
};
const EFFECTS: Record<PermissionEffect, { icon: IconName; tone: 'good' | 'bad' | 'warn'; verb: string; now: string }> = {
  allow: { icon: 'pass', tone: 'good', verb: 'Allow', now: 'Allowed' },
  ask: { icon: 'question', tone: 'warn', verb: 'Ask', now: 'Asks' },
  deny: { icon: 'circle-slash', tone: 'bad', verb: 'Deny', now: 'Denied' },
};
const BY: Record<PermissionRow['by'], string> = {
  session: ' in this session',
  workspace: ' in this workspace',
  user: ' everywhere',
  policy: '',
};
const SCOPES: Record<GrantRow['scope'], string> = {
  turn: 'This answer',
  run: 'This run',
  session: 'This session',
  workspace: 'This workspace',
};

/** Shows what is allowed, what needs approval, what is denied, and what the user granted. Each choice applies from the next call on. */
export function Page({ data: { rows, rules, grants, readOnlyCommands, trusted, problems } }: { data: PermissionOverview }) {
  const [level, setLevel] = useState<Level>('session');
  return (
    <div class="permissions">
      <Choice label="Where" value={level} onChoose={setLevel} options={LEVELS.map((value) => ({ value, text: SHORT_NAMES[value] }))} />
      <p class="dim">{STORED[level]} Deny overrides Ask, and Ask overrides Allow.</p>
      {!trusted && <Problem text="This workspace is not trusted, so Kedge can only read its files." />}
      {problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
      <ul aria-label="What is allowed">
        {rows.map((row) => (
          <Row key={JSON.stringify(row.subject)} row={row} level={level} />
        ))}
      </ul>
      <label class="row setting">
        <input
          type="checkbox"
          checked={readOnlyCommands}
          onChange={({ currentTarget }) => send({ page: 'permissions', type: 'allow_reading_commands', isAllowed: currentTarget.checked })}
        />
        <span>Run read-only commands without asking, in all workspaces</span>
      </label>
      <Rules rules={rules} />
      <Grants grants={grants} />
    </div>
  );
}

function nameOf(subject: Subject): string {
  return 'action' in subject ? ACTION_NAMES[subject.action] : subject.server;
}

function Row({ row: { subject, effect, by, note, set, problems }, level }: { row: PermissionRow; level: Level }) {
  const name = nameOf(subject);
  const { icon, tone, now } = EFFECTS[effect];
  const others = LEVELS.flatMap((each) =>
    each !== level && each !== by && set[each] ? [`${LEVEL_NAMES[each]}: ${EFFECTS[set[each]].verb}`] : [],
  );
  return (
    <li class={'server' in subject ? 'permission of-server' : 'permission'}>
      <div class="row">
        <Icon name={icon} tone={tone} />
        <span class="grow name">{name}</span>
        <span class="now">{`${now}${BY[by]}`}</span>
      </div>
      <Choice<PermissionEffect | undefined>
        label={`${name}, ${LEVEL_NAMES[level].toLowerCase()}`}
        value={set[level]}
        onChoose={(chosen) => send({ page: 'permissions', type: 'set_permission', subject, level, ...(chosen && { effect: chosen }) })}
        options={[
          { value: undefined, text: 'Not set' },
          ...(['allow', 'ask', 'deny'] as const).map((value) => ({ value, text: EFFECTS[value].verb, problem: problems[level][value] })),
        ]}
      />
      {others.length > 0 && <p class="dim">{others.join(', ')}</p>}
      {note && <p class="dim">{note}</p>}
    </li>
  );
}

function Rules({ rules }: { rules: readonly NarrowRule[] }) {
  return (
    <>
      <div class="row">
        <h2 class="grow">Rules for specific calls</h2>
        <IconButton
          icon="go-to-file"
          label="Edit the rules in the settings"
          onClick={() => send({ page: 'permissions', type: 'open_rules' })}
        />
      </div>
      {rules.length === 0 ? (
        <p class="dim">No rules for individual commands, folders, hosts or tools.</p>
      ) : (
        <ul aria-label="Rules for specific calls">
          {rules.map((rule) => (
            <RuleItem key={JSON.stringify(rule)} rule={rule} />
          ))}
        </ul>
      )}
    </>
  );
}

function RuleItem({ rule: { level, effect, rule } }: { rule: NarrowRule }) {
  const { icon, tone, verb } = EFFECTS[effect];
  const words = Object.entries(rule).map(([key, value]) => `${key} ${value}`);
  const text = `${verb} ${words.join(', ')}`;
  return (
    <li class="row">
      <Icon name={icon} tone={tone} />
      <span class="grow">
        {text}
        <span class="dim origin">{LEVEL_NAMES[level]}</span>
      </span>
      <IconButton
        icon="trash"
        label={`Remove the rule: ${text}`}
        onClick={() => send({ page: 'permissions', type: 'remove_rule', level, effect, rule })}
      />
    </li>
  );
}

function Grants({ grants }: { grants: readonly GrantRow[] }) {
  return (
    <>
      <h2>Granted by you</h2>
      {grants.length === 0 ? (
        <p class="dim">You have not granted any permissions. When Kedge asks, you can also allow similar calls for longer.</p>
      ) : (
        <ul aria-label="Granted by you">
          {grants.map((grant) => (
            <GrantItem key={grant.scope + permissionKey(grant.covers)} grant={grant} />
          ))}
        </ul>
      )}
    </>
  );
}

function GrantItem({ grant: { scope, covers, text, at, title } }: { grant: GrantRow }) {
  const origin = [
    SCOPES[scope],
    ...(at === undefined ? [] : [timeText(at)]),
    ...(title !== undefined ? [`with your approval of “${title}”`] : at === undefined ? [] : ['on this page']),
  ];
  return (
    <li class="row">
      <Icon name="pass" tone="good" />
      <span class="grow">
        {text.slice(0, 1).toUpperCase() + text.slice(1)}
        <span class="dim origin">{origin.join(', ')}</span>
      </span>
      <Button
        kind="link"
        label={`Revoke: ${text}`}
        onClick={() => send({ page: 'permissions', type: 'revoke_grant', scope, key: permissionKey(covers) })}
      >
        Revoke
      </Button>
    </li>
  );
}
