import type { ServerState, ServerStatus, ServerTools, ToolUse } from '../../src/core/view/mcp-servers.ts';
import type { PageData, RequestOf } from '../../src/protocol/pages.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Choice } from '../components/choice.tsx';
import { Expandable } from '../components/expandable.tsx';
import { Icon } from '../components/icon.tsx';
import type { IconName } from '../components/icons.ts';
import { Problem } from '../components/problem.tsx';
import { count } from '../format.ts';
import { post } from '../host.ts';

const send = (request: RequestOf<'servers'>) => post({ type: 'page_request', request });

const STATES: Record<ServerState, { icon: IconName; tone: 'good' | 'bad' | 'dim'; text: string }> = {
  off: { icon: 'circle-outline', tone: 'dim', text: 'Off' },
  stopped: { icon: 'circle-outline', tone: 'dim', text: 'Stopped' },
  starting: { icon: 'loading', tone: 'dim', text: 'Starting' },
  running: { icon: 'pass', tone: 'good', text: 'Running' },
  failed: { icon: 'error', tone: 'bad', text: 'Failed' },
  invalid: { icon: 'error', tone: 'bad', text: 'Not valid' },
};
const USES: Record<ToolUse, string> = { off: 'Off', asks: 'Asks', reads: 'Read-only' };

/** Lists the user's MCP servers with their states, logs and tools. */
export function Page({ data: { servers, trusted } }: { data: PageData['servers'] }) {
  return (
    <div class="servers">
      <p class="dim">
        Agent mode may use the tools, and asks each time. A tool that is set to “Read-only” needs no approval, and can also be used in Ask
        and Plan mode.
      </p>
      {!trusted && <Problem text="This workspace is not trusted, so no server is started in it." />}
      <Button icon="add" onClick={() => send({ page: 'servers', type: 'add_server' })}>
        Add server
      </Button>
      {servers.length === 0 && <p class="dim">No servers.</p>}
      {servers.map((server) => (
        <Server key={server.name} server={server} trusted={trusted} />
      ))}
    </div>
  );
}

function Server({ server: { name, state, error, log, tools }, trusted }: { server: ServerStatus; trusted: boolean }) {
  const { icon, tone, text } = STATES[state];
  const isOn = state !== 'off' && state !== 'invalid';
  const start = state === 'stopped' || state === 'failed' ? 'Start' : 'Restart';
  return (
    <section class="server" aria-label={name}>
      <div class="row">
        <Icon name={icon} tone={tone} spin={state === 'starting'} />
        <h2 class="grow cut" title={name}>
          {name}
        </h2>
        <span class="dim" role="status">
          {text}
          {state === 'running' && tools ? `, ${count(tools.length, 'tool')}` : ''}
        </span>
        {isOn && trusted && (
          <IconButton
            icon={start === 'Start' ? 'play' : 'debug-restart'}
            label={`${start}: ${name}`}
            disabled={state === 'starting'}
            onClick={() => send({ page: 'servers', type: 'restart_server', server: name })}
          />
        )}
        {state !== 'invalid' && (
          <IconButton
            icon={isOn ? 'circle-slash' : 'play-circle'}
            label={`${isOn ? 'Turn off' : 'Turn on'}: ${name}`}
            onClick={() => send({ page: 'servers', type: 'turn_server', server: name, isOn: !isOn })}
          />
        )}
      </div>
      {error && <p class="page-problem">{error}</p>}
      {log && (
        <Expandable summary="Log">
          {() => (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable with the keyboard
            <section class="log" tabIndex={0} aria-label={`Log of ${name}`}>
              {log}
            </section>
          )}
        </Expandable>
      )}
      {tools && isOn && (
        <ul aria-label={`Tools of ${name}`}>
          {tools.map((tool) => (
            <Tool key={tool.name} server={name} tool={tool} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Tool({ server, tool: { name, description, use } }: { server: string; tool: ServerTools }) {
  return (
    <li class="server-tool">
      <span class="name">{name}</span>
      {description && (
        <span class="dim cut" title={description}>
          {description}
        </span>
      )}
      <Choice
        label={name}
        value={use}
        onChoose={(chosen) => send({ page: 'servers', type: 'use_tool', server, tool: name, use: chosen })}
        options={(['off', 'asks', 'reads'] as const).map((value) => ({ value, text: USES[value] }))}
      />
    </li>
  );
}
