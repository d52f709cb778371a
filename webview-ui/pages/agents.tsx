import type { AgentEntry, AgentsPage } from '../../src/protocol/agents-page.ts';
import type { RequestOf } from '../../src/protocol/pages.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { post } from '../host.ts';

const send = (request: RequestOf<'agents'>) => post({ type: 'page_request', request });

/** Lists the agents with what each of them does, and with requests that show it. */
export function Page({ data: { agents, unusable, directory } }: { data: AgentsPage }) {
  return (
    <div class="agents">
      <p class="dim">
        An agent narrows what Kedge may do in a session, and adds its own instructions. It never allows anything. Your agents are Markdown
        files in {directory}.
      </p>
      {agents.map((agent) => (
        <Agent key={agent.name} agent={agent} />
      ))}
      {unusable.length > 0 && (
        <>
          <h2>Cannot be used</h2>
          <ul aria-label="Agents that cannot be used">
            {unusable.map(({ path, problem }) => (
              <li key={path}>
                <code>{path}</code>: {problem}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const REVIEW = { new: 'You are asked before it runs for the first time.', changed: 'It has changed, so you are asked before it runs.' };

function Agent({ agent }: { agent: AgentEntry }) {
  const { name, description, source, digest, rules, tries, problems, isChosen, review } = agent;
  return (
    <section aria-label={name}>
      <div class="row">
        <h2 class="grow">{name}</h2>
        <Button kind="link" label={`Show prompt of ${name}`} onClick={() => send({ page: 'agents', type: 'show_agent', name })}>
          Show prompt
        </Button>
        <Button
          kind="secondary"
          label={isChosen ? `Do not use ${name}` : `Use ${name}`}
          onClick={() => send({ page: 'agents', type: 'choose_agent', name: isChosen ? '' : name })}
        >
          {isChosen ? 'Do not use' : 'Use'}
        </Button>
      </div>
      <p>{description || 'No description.'}</p>
      <p class="dim">
        {rules.join(' ')} {review && REVIEW[review]}
      </p>
      <p class="dim" title={`Digest: ${digest}`}>
        From: {source}
      </p>
      {problems.map((problem) => (
        <p key={problem} class="dim">
          <Icon name="warning" /> {problem}
        </p>
      ))}
      {tries.length > 0 && (
        <ul aria-label={`Try ${name}`}>
          {tries.map((text) => (
            <li key={text}>
              <Button kind="link" onClick={() => send({ page: 'agents', type: 'try_agent', name, text })}>
                {text}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
