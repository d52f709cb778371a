import type { ComponentChildren } from 'preact';
import type { Check, Plan, PlanStep } from '../../src/core/plan.ts';
import { checkText } from '../../src/core/plan.ts';
import { shortHash } from '../../src/core/plan-hash.ts';
import { post } from '../host.ts';
import { Icon } from './icon.tsx';

/** The names of its tools are for who asks. */
export function StepTitle({ step, children }: { step: PlanStep; children?: ComponentChildren }) {
  return (
    <p title={step.tools?.length ? `Tools: ${step.tools.join(', ')}` : undefined}>
      {step.title}
      {children}
    </p>
  );
}

/** What a step may touch and how one sees that it worked. A command is shown as it will be run: who confirms the plan confirms it. */
export function StepFacts({ step }: { step: PlanStep }) {
  if (step.files.length === 0 && !step.check && !step.detail) return null;
  return (
    <>
      {step.detail && <p class="dim">{step.detail}</p>}
      <ul class="facts">
        {step.files.map((file) => (
          <li key={file}>
            <Icon name="file" />
            <File path={file} />
          </li>
        ))}
        {step.check && (
          <li>
            <CheckFact check={step.check} />
          </li>
        )}
      </ul>
    </>
  );
}

export function File({ path }: { path: string }) {
  if (/[*?{[]/.test(path)) return <code>{path}</code>;
  return (
    <button type="button" class="file-name" title={`Open ${path}`} onClick={() => post({ type: 'open_file', path })}>
      {path}
    </button>
  );
}

function CheckFact({ check }: { check: Check }) {
  if (typeof check === 'object' && 'command' in check) {
    return (
      <>
        <Icon name="terminal" />
        <span>
          Runs <code class="command">{check.command}</code>
        </span>
      </>
    );
  }
  return (
    <>
      <Icon name={typeof check === 'string' ? 'note' : 'verified'} />
      <span>{typeof check === 'string' ? check : `Checks that ${sentence(check)}`}</span>
    </>
  );
}

function sentence(check: Check): string {
  return typeof check === 'object' && 'diagnostics' in check ? 'its files have no errors' : checkText(check);
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
            <span>{entry}</span>
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
