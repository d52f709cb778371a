import type { ComponentChildren } from 'preact';
import type { PlanStep } from '../../src/core/plan.ts';
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

/** What a step may touch and how one sees that it worked. */
export function StepFacts({ step }: { step: PlanStep }) {
  if (step.files.length === 0 && !step.check) return null;
  return (
    <ul class="facts">
      {step.files.map((file) => (
        <li key={file}>
          <Icon name="file" />
          {/[*?{[]/.test(file) ? (
            <code>{file}</code>
          ) : (
            <button type="button" class="file-name" title={`Open ${file}`} onClick={() => post({ type: 'open_file', path: file })}>
              {file}
            </button>
          )}
        </li>
      ))}
      {step.check && (
        <li>
          <Icon name="verified" />
          <span>{step.check}</span>
        </li>
      )}
    </ul>
  );
}

export function Checks({ checks }: { checks: readonly string[] | undefined }) {
  if (!checks?.length) return null;
  return (
    <div class="checks">
      <h4>At the end</h4>
      <ul class="facts">
        {checks.map((check) => (
          <li key={check}>
            <Icon name="verified" />
            <span>{check}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
