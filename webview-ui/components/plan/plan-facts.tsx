import type { ComponentChildren } from 'preact';
import { shortHash } from '../../../src/core/plan/hash.ts';
import { type Check, checkText, isSameCheck, type Plan, type PlanStep } from '../../../src/core/plan/plan.ts';
import type { CheckResult } from '../../../src/core/session/session-state.ts';
import { type CheckDetails, checkDetails, type StepFile, stepDetails } from '../../../src/core/view/plan-details.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { Expandable } from '../expandable.tsx';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icons.ts';

/** The title of a step. Its tools are shown in the tooltip. */
export function StepTitle({ step, children }: { step: PlanStep; children?: ComponentChildren }) {
  const { title, tools, agent } = stepDetails(step);
  return (
    <p title={tools && `Tools: ${tools}`}>
      {title}
      {agent && <span class="badge">agent {agent}</span>}
      {children}
    </p>
  );
}

/** The files that a step may change, and its check. A command is shown exactly as it will run, because confirming the plan approves it. */
export function StepFacts({ step }: { step: PlanStep }) {
  const { detail, files, check } = stepDetails(step);
  if (files.length === 0 && !check && !detail) return null;
  return (
    <>
      {/* Markdown would hide parts of it, such as comments, that the model reads when it carries out the plan. */}
      {detail && <p class="dim">{detail}</p>}
      <ul class="facts">
        {files.map((file) => (
          <li key={file.path}>
            <Icon name="file" />
            <File file={file} />
          </li>
        ))}
        {check && (
          <li>
            <CheckFact check={check} />
          </li>
        )}
      </ul>
    </>
  );
}

export function File({ file: { path, text, means } }: { file: StepFile }) {
  if (means)
    return (
      <span>
        <code>{text}</code> ({means})
      </span>
    );
  return (
    <button type="button" class="file-name" title={`Open ${text}`} onClick={() => post({ type: 'open_file', path })}>
      {text}
    </button>
  );
}

function CheckFact({ check: { kind, text } }: { check: CheckDetails }) {
  if (kind === 'command') {
    return (
      <>
        <Icon name="terminal" />
        <span>
          Runs <code class="command">{text}</code>
        </span>
      </>
    );
  }
  return (
    <>
      <Icon name={kind === 'remark' ? 'note' : 'verified'} />
      <span>{kind === 'remark' ? text : `Checks that ${kind === 'problems' ? 'its files have no errors' : text}`}</span>
    </>
  );
}

function List({ title, icon, entries }: { title: string; icon: IconName; entries: readonly string[] | undefined }) {
  if (!entries?.length) return null;
  return (
    <div class="checks">
      <h4>{title}</h4>
      <ul class="facts">
        {entries.map((entry) => (
          <li key={entry}>
            <Icon name={icon} />
            <span>{visibleCommand(entry)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The checks after the last step. `results` is set if the plan has been run. */
export function EndChecks({ checks, results = [] }: { checks: readonly Check[] | undefined; results?: readonly CheckResult[] }) {
  if (!checks?.length) return null;
  return (
    <div class="checks">
      <h4>Checks at the end</h4>
      <ul class="facts">
        {checks.map((check) => {
          const result = results.find((each) => isSameCheck(each.check, check));
          return (
            <li key={checkText(check)}>
              {result ? <CheckOutcome result={result} of="plan" /> : <CheckFact check={checkDetails(check, 'plan')} />}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const CHECK_OUTCOME = {
  passed: { icon: 'verified-filled', tone: 'good', word: 'passed' },
  failed: { icon: 'error', tone: 'bad', word: 'failed' },
  not_run: { icon: 'warning', tone: 'warn', word: 'could not run' },
} as const;

/** The result of a check. The output of a failed check is expanded from the start. */
export function CheckOutcome({ result: { check, outcome, output }, of = 'step' }: { result: CheckResult; of?: 'step' | 'plan' }) {
  const { icon, tone, word } = CHECK_OUTCOME[outcome];
  const summary = (
    <span class="check-result">
      <Icon name={icon} tone={tone} />
      <span>
        Check {word}: {checkDetails(check, of).text}
      </span>
    </span>
  );
  if (!output) return <div class="facts">{summary}</div>;
  return (
    <Expandable class="facts" summary={summary} open={outcome === 'failed'}>
      {() => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
        <section class="check-output" tabIndex={0} aria-label="Check output">
          {output}
        </section>
      )}
    </Expandable>
  );
}

/** The parts of a plan that do not belong to a step. */
export function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <>
      <List title="Assumptions" icon="lightbulb" entries={plan.assumptions} />
      <EndChecks checks={plan.checks} />
      {plan.estimatedCalls && <p class="dim">About {plan.estimatedCalls} tool calls.</p>}
    </>
  );
}

/** The revision of a plan, for example "revision 2 · 1a2b3c4". An edit that is not confirmed yet has no hash. */
export function Revision({ plan }: { plan: Plan }) {
  const hash = shortHash(plan);
  const parts = [plan.revision > 1 && `revision ${plan.revision}`, hash].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <span class="revision" title={plan.hash ? `Revision hash ${plan.hash}` : undefined}>
      {parts.join(' · ')}
    </span>
  );
}
