import { useState } from 'preact/hooks';
import { type Insights, RANGES } from '../../../src/core/insights/insights.ts';
import { type Numbers, totalIn } from '../../../src/core/insights/numbers.ts';
import { answeredIn, durationText, failedIn, type Table, tablesOf } from '../../../src/core/insights/tables.ts';
import { dollars, tokens } from '../../../src/core/words/amounts.ts';
import type { InsightsPage, RequestOf } from '../../../src/protocol/pages.ts';
import { Button } from '../../components/button.tsx';
import { post } from '../../host.ts';
import { type Bucket, bucketsOf, type Step } from './buckets.ts';
import { Plot, type PlotProps } from './plot.tsx';
import { CountTable } from './table.tsx';

const send = (request: RequestOf<'insights'>) => post({ type: 'page_request', request });

/** Shows statistics about the runs of this workspace or of all workspaces: their results, their usage and their waiting times. */
export function Page({ data }: { data: InsightsPage }) {
  const { range, insights } = data;
  const everywhere = data.everywhere === true;
  const [chosen, setChosen] = useState(range);
  const [isEverywhere, setEverywhere] = useState(everywhere);
  const isEmpty = insights.days.length === 0;
  return (
    <div class="insights" aria-busy={chosen !== range || isEverywhere !== everywhere}>
      <div class="row insights-bar">
        <fieldset class="grow ranges">
          <legend class="sr-only">Time</legend>
          {RANGES.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="range"
                checked={each === chosen}
                onChange={() => {
                  setChosen(each);
                  send({ page: 'insights', type: 'choose_range', range: each });
                }}
              />
              <span>{each === 0 ? 'All' : `${each} days`}</span>
            </label>
          ))}
        </fieldset>
        <select
          aria-label="Workspace"
          value={isEverywhere ? 'everywhere' : 'here'}
          onChange={({ currentTarget: { value } }) => {
            setEverywhere(value === 'everywhere');
            send({ page: 'insights', type: 'count_workspaces', everywhere: value === 'everywhere' });
          }}
        >
          <option value="here">This workspace</option>
          <option value="everywhere">All workspaces</option>
        </select>
        {!isEmpty && (
          <Button icon="export" onClick={() => send({ page: 'insights', type: 'export_insights' })}>
            Export CSV
          </Button>
        )}
      </div>
      {isEmpty ? (
        <div class="insights-empty">
          <p>No runs in this period.</p>
          <p class="dim">After your first run, this page shows what runs do and use, and how long they wait for you.</p>
        </div>
      ) : (
        <Content insights={insights} />
      )}
      <p class="dim">
        Computed from the sessions of {everywhere ? 'all workspaces' : 'this workspace'}, on this computer. Nothing is sent. Deleted
        sessions are not counted.
      </p>
    </div>
  );
}

function Content({ insights }: { insights: Insights }) {
  const { step, buckets } = bucketsOf(insights);
  const tables = new Map(tablesOf(insights).map((table) => [table.id, table]));
  const shown = (['models', 'modes', 'tools', 'approvals', 'allowed', 'edits', 'limits'] as const).flatMap((id) => tables.get(id) ?? []);
  return (
    <>
      <dl class="totals">
        {factsOf(insights.total).map(({ name, value, more }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value} {more && <span class="dim">{more}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {plotsOf(insights, buckets, step, tables.get('window')).map((plot) => (
        <Plot key={plot.title} {...plot} />
      ))}
      {shown.map((table) => (
        <CountTable key={table.id} table={table} />
      ))}
    </>
  );
}

const percent = (part: number, whole: number) => `${Math.round((100 * part) / whole)}%`;

function factsOf({ runs = {}, events = {}, ...total }: Numbers): { name: string; value: string; more?: string | undefined }[] {
  const all = totalIn(runs);
  const calls = totalIn(total.calls);
  const asked = totalIn(total.asked);
  const failed = failedIn(runs);
  const { fresh = 0, cached = 0, output = 0, estimated = 0 } = total.tokens ?? {};
  const { usd = 0, unpriced = 0 } = total.money ?? {};
  const { up = 0, down = 0 } = total.ratings ?? {};
  const facts = [
    { name: 'Runs', value: all.toLocaleString(), more: all > 0 ? `${percent(answeredIn(runs), all)} answered` : undefined },
    { name: 'Failed', value: failed.toLocaleString(), more: events.recovered ? `${events.recovered} recovered` : undefined },
    { name: 'Turns per run', value: all > 0 ? ((events.turns ?? 0) / all).toFixed(1) : '–' },
    { name: 'Cost', value: usd === 0 && unpriced > 0 ? '–' : dollars({ usd, ...(unpriced > 0 && { unpriced }) }) },
    { name: 'Input tokens', value: tokens(fresh + cached), more: cached > 0 ? `${percent(cached, fresh + cached)} cached` : undefined },
    { name: 'Output tokens', value: tokens(output), more: estimated > 0 ? `and ${tokens(estimated)} estimated` : undefined },
    {
      name: 'Tool calls',
      value: calls.toLocaleString(),
      more: calls > 0 ? `${percent(totalIn(total.failedCalls), calls)} failed` : undefined,
    },
    {
      name: 'Approvals',
      value: asked.toLocaleString(),
      more: asked > 0 ? `${percent(totalIn(total.approved), asked)} approved` : undefined,
    },
    { name: 'Waited for you', value: durationText(total.waitMs?.user ?? 0) },
    { name: 'Good answers', value: up.toLocaleString(), more: down > 0 ? `${down} bad` : undefined },
  ];
  return facts;
}

function plotsOf({ total }: Insights, buckets: readonly Bucket[], step: Step, window: Table | undefined): PlotProps[] {
  const by = { day: 'Day', week: 'Week from', month: 'Month' }[step];
  const labels = buckets.map(({ label }) => label);
  const short = buckets.map((bucket) => bucket.short);
  const series = (name: string, color: string, of: (numbers: Numbers) => number) => ({
    name,
    color,
    values: buckets.map(({ numbers }) => of(numbers)),
  });
  const { runs = {}, tokens: used = {}, waitMs = {}, money = {} } = total;
  const plots: PlotProps[] = [
    {
      title: 'Runs',
      summary: `${answeredIn(runs).toLocaleString()} answered, ${(runs.stopped ?? 0).toLocaleString()} stopped, ${failedIn(runs).toLocaleString()} failed`,
      unit: 'count',
      series: [
        series('Answered', 'charts-green', ({ runs: of = {} }) => answeredIn(of)),
        series('Stopped', 'charts-yellow', ({ runs: of = {} }) => of.stopped ?? 0),
        series('Failed', 'charts-red', ({ runs: of = {} }) => failedIn(of)),
        series('Paused or in progress', 'charts-blue', ({ runs: of = {} }) => of.open ?? 0),
      ],
      by,
      labels,
      short,
    },
    {
      title: 'Tokens',
      summary: `${tokens(used.fresh ?? 0)} fresh, ${tokens(used.cached ?? 0)} cached, ${tokens(used.output ?? 0)} output`,
      unit: 'tokens',
      series: [
        series('Fresh input', 'charts-blue', ({ tokens: of = {} }) => of.fresh ?? 0),
        series('Cached input', 'charts-green', ({ tokens: of = {} }) => of.cached ?? 0),
        series('Output', 'charts-purple', ({ tokens: of = {} }) => of.output ?? 0),
      ],
      by,
      labels,
      short,
    },
    {
      title: 'Cost',
      summary: dollars({ usd: money.usd ?? 0, ...(money.unpriced && { unpriced: money.unpriced }) }),
      unit: 'usd',
      series: [series('Cost', 'charts-orange', ({ money: of = {} }) => of.usd ?? 0)],
      by,
      labels,
      short,
    },
    {
      title: 'Waiting',
      summary: `${durationText(waitMs.model ?? 0)} for the model, ${durationText(waitMs.tools ?? 0)} for tools, ${durationText(waitMs.user ?? 0)} for you`,
      unit: 'ms',
      series: [
        series('For the model', 'charts-blue', ({ waitMs: of = {} }) => of.model ?? 0),
        series('For tools', 'charts-green', ({ waitMs: of = {} }) => of.tools ?? 0),
        series('For you', 'charts-yellow', ({ waitMs: of = {} }) => of.user ?? 0),
      ],
      by,
      labels,
      short,
    },
  ];
  if (window) {
    const values = window.rows.map(([, requests]) => Number(requests));
    const high = values.slice(8).reduce((sum, value) => sum + value, 0);
    plots.push({
      title: 'Context window',
      summary: `${percent(high, Math.max(1, totalIn(total.window)))} of the requests filled more than 80% of the window`,
      unit: 'count',
      series: [{ name: 'Requests', color: 'charts-purple', values }],
      by: 'Full',
      labels: window.rows.map(([name]) => String(name)),
      short: window.rows.map(([name]) => String(name)),
    });
  }
  return plots.filter(({ series: all }) => all.some(({ values }) => values.some((value) => value > 0)));
}
