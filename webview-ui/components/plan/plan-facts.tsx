import type { ComponentChildren } from 'preact';
import { shortHash } from '../../../src/core/plan/hash.ts';
import type { Plan, PlanStep } from '../../../src/core/plan/plan.ts';
import { type CheckDetails, type StepFile, stepDetails } from '../../../src/core/view/plan-details.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { Icon } from '../icon.tsx';

/** The title of a step. Its tools are shown in the tooltip. */
export function StepTitle({ step, children }: { step: PlanStep; children?: ComponentChildren }) {
  const { title, tools } = stepDetails(step);
  return (
    <p title={tools && `Tools: ${tools}`}>
      {title}
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

function List({ title, icon, entries }: { title: string; icon: string; entries: readonly string[] | undefined }) {
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

/** The parts of a plan that do not belong to a step. */
export function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <>
      <List title="Assumptions" icon="lightbulb" entries={plan.assumptions} />
      <List title="Checks at the end" icon="note" entries={plan.checks} />
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
