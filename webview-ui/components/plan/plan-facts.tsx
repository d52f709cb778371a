import type { ComponentChildren } from 'preact';
import { shortHash } from '../../../src/core/plan/hash.ts';
import type { Plan, PlanStep } from '../../../src/core/plan/plan.ts';
import { type CheckDetails, type StepFile, stepDetails } from '../../../src/core/view/plan-details.ts';
import { visibleCommand } from '../../../src/core/words/visible-text.ts';
import { post } from '../../host.ts';
import { Icon } from '../icon.tsx';

/** The names of its tools are for who asks. */
export function StepTitle({ step, children }: { step: PlanStep; children?: ComponentChildren }) {
  const { title, tools } = stepDetails(step);
  return (
    <p title={tools && `Tools: ${tools}`}>
      {title}
      {children}
    </p>
  );
}

/** What a step may touch and how one sees that it worked. A command is shown as it will be run: who confirms the plan confirms it. */
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

/** What belongs to no step. */
export function PlanFacts({ plan }: { plan: Plan }) {
  return (
    <>
      <List title="Assumed" icon="lightbulb" entries={plan.assumptions} />
      <List title="At the end" icon="note" entries={plan.checks} />
      {plan.estimatedCalls && <p class="dim">About {plan.estimatedCalls} calls.</p>}
    </>
  );
}

/** "revision 2 · 1a2b3c4"; an edit that was not confirmed yet has no hash. */
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
