import { useState } from 'preact/hooks';
import type { AgentUse } from '../../src/core/insights/agent-runs.ts';
import type { RunEnd } from '../../src/core/insights/numbers.ts';
import type { AgentEntry, AgentsPage, InstalledEntry, InstalledKind, PackageEntry } from '../../src/protocol/agents-page.ts';
import type { RequestOf } from '../../src/protocol/pages.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { count, shortTime } from '../format.ts';
import { post } from '../host.ts';

const send = (request: RequestOf<'agents'>) => post({ type: 'page_request', request });

/** A shorter list can be read faster than searched. */
const MANY = 8;

const SECTIONS: readonly [InstalledKind, string][] = [
  ['prompt', 'Prompt files'],
  ['skill', 'Skills'],
  ['hook', 'Hooks'],
];

/** Lists what is installed: agents with what each of them does and did, prompt files, skills, hooks and packages. */
export function Page({ data }: { data: AgentsPage }) {
  const { unusable, directory } = data;
  const [words, setWords] = useState('');
  const fits = (...texts: readonly string[]) => words.trim() === '' || matches(texts.join(' '), words);
  const agents = data.agents.filter(({ name, description, source }) => fits(name, description, source));
  const installed = data.installed.filter(({ kind, name, description, source }) => fits(kind, name, description, source));
  const packages = data.packages.filter(({ name, contents, source }) => fits('package', name, contents, source));
  const total = data.agents.length + data.installed.length + data.packages.length;
  const shown = agents.length + installed.length + packages.length;
  return (
    <div class="agents">
      <p class="dim">
        An agent narrows what Kedge may do in a session, and adds its own instructions. It never allows anything. Your agents are Markdown
        files in {directory}.
      </p>
      <Button icon="add" onClick={() => send({ page: 'agents', type: 'import_package' })}>
        Import…
      </Button>
      {total >= MANY && (
        <search class="gallery-search">
          <input
            class="field"
            type="search"
            aria-label="Search agents, prompt files, skills, hooks and packages"
            placeholder="Search"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || words === '') return;
              event.preventDefault();
              setWords('');
            }}
          />
          <span class="dim" role="status">
            {words.trim() !== '' && (shown > 0 ? `${shown} of ${total}` : 'Nothing matches.')}
          </span>
        </search>
      )}
      <Packages packages={packages} />
      {agents.map((agent) => (
        <Agent key={agent.name} agent={agent} />
      ))}
      {SECTIONS.map(([kind, title]) => (
        <InstalledList key={kind} title={title} entries={installed.filter((each) => each.kind === kind)} />
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

/** Returns true if the text contains all of the words. */
function matches(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

const REVIEW = { new: 'You are asked before it runs for the first time.', changed: 'It has changed, so you are asked before it runs.' };

function Agent({ agent }: { agent: AgentEntry }) {
  const { name, description, source, digest, rules, tries, problems, isChosen, review, hasFile, use } = agent;
  return (
    <section aria-label={name}>
      <div class="row">
        <h2 class="grow">{name}</h2>
        {hasFile && (
          <>
            <IconButton
              icon="go-to-file"
              label={`Open file of ${name}`}
              onClick={() => send({ page: 'agents', type: 'open_agent_file', name })}
            />
            <IconButton icon="export" label={`Export ${name}…`} onClick={() => send({ page: 'agents', type: 'export_agent', name })} />
          </>
        )}
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
      {use && <p class="dim">{useText(use)}</p>}
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

const ENDED: Record<RunEnd, string> = {
  answered: 'answered',
  plan_proposed: 'proposed a plan',
  refused: 'refused',
  stopped: 'stopped',
  failed: 'failed',
  open: 'not finished',
};

/** Says how often an agent ran, how its runs ended, and how the user rated them. */
function useText({ runs, ended, up, down, last }: AgentUse): string {
  const ends = (Object.keys(ENDED) as RunEnd[]).flatMap((end) => (ended[end] ? [`${ended[end]} ${ENDED[end]}`] : []));
  const ratings = [up > 0 && `${up} rated good`, down > 0 && `${down} rated bad`].filter(Boolean);
  return `${count(runs, 'run')}, the last ${shortTime(last)}: ${[...ends, ...ratings].join(', ')}.`;
}

function InstalledList({ title, entries }: { title: string; entries: readonly InstalledEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul aria-label={title}>
        {entries.map(({ kind, id, name, description, source, problem }) => (
          <li key={id}>
            <div class="row">
              <span class="grow">{name}</span>
              <IconButton
                icon="go-to-file"
                label={`Open file of ${name}`}
                onClick={() => send({ page: 'agents', type: 'open_installed', kind, id })}
              />
            </div>
            {description && <p>{description}</p>}
            <p class="dim">From: {source}</p>
            {problem && (
              <p class="dim">
                <Icon name="warning" /> {problem}
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Packages({ packages }: { packages: readonly PackageEntry[] }) {
  if (packages.length === 0) return null;
  return (
    <>
      <h2>Packages</h2>
      <ul aria-label="Packages">
        {packages.map(({ name, version, contents, source, digest, updatedAt, changedByHand }) => (
          <li key={name}>
            <div class="row">
              <span class="grow">
                {name} {version}
              </span>
              <IconButton icon="refresh" label={`Update ${name}…`} onClick={() => send({ page: 'agents', type: 'update_package', name })} />
              <IconButton icon="trash" label={`Remove ${name}…`} onClick={() => send({ page: 'agents', type: 'remove_package', name })} />
            </div>
            <p>{contents}</p>
            <p class="dim">
              From: {source}, stored {shortTime(updatedAt)}, digest {digest.slice(0, 12)}
            </p>
            {changedByHand.length > 0 && (
              <p class="dim">
                <Icon name="warning" /> Changed by hand: {changedByHand.join(', ')}
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
