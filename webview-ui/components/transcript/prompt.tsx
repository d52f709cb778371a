import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Branches } from '../../../src/protocol/panel.ts';
import { timeText } from '../../format.ts';
import type { PanelRun } from '../../model.ts';
import { MODE } from '../../modes.ts';
import { PromptEditor } from '../branches/prompt-editor.tsx';
import { Versions } from '../branches/versions.tsx';
import { IconButton } from '../button.tsx';
import { RestoreHere } from '../changes/restore.tsx';
import { Icon } from '../icon.tsx';
import { SentChips } from '../mentions/chips.tsx';
import { Folded } from './folded.tsx';
import { Thumbnails } from './thumbnails.tsx';

type PromptProps = { run: PanelRun; canRestore: boolean; running: boolean; versions: Branches['versions'][string] | undefined };

export function Prompt({ run, canRestore, running, versions }: PromptProps) {
  const [isEditing, setEditing] = useState(false);
  const edit = useRef<HTMLDivElement>(null);
  const wasEditing = useRef(false);
  useLayoutEffect(() => {
    if (wasEditing.current && !isEditing) edit.current?.querySelector('button')?.focus({ preventScroll: true });
    wasEditing.current = isEditing;
  }, [isEditing]);
  const { label, icon } = MODE[run.mode];
  const text = run.plan ? `Run the plan: ${run.plan.goal}` : run.prompt;
  const canEdit = !run.plan && !run.applies;
  if (isEditing) {
    return (
      <div class="prompt">
        <h3 class="sr-only">Your message, in {label} mode</h3>
        <PromptEditor run={run} running={running} onClose={() => setEditing(false)} />
      </div>
    );
  }
  return (
    <div class="prompt">
      <h3 class="sr-only">You, in {label} mode</h3>
      <Thumbnails images={run.images ?? []} />
      <SentChips refs={run.mentions ?? []} />
      <Folded text={text} />
      {run.agent && <p class="run-footer">Agent: {run.agent}</p>}
      {(canRestore || versions) && (
        <div class="prompt-actions">
          {canRestore && <RestoreHere to={{ runId: run.id }} label="Restore the files to their state before this prompt" />}
          {versions && <Versions {...versions} />}
        </div>
      )}
      {canEdit && (
        <div class="prompt-edit" ref={edit}>
          <IconButton icon="edit" label="Edit and send again" onClick={() => setEditing(true)} />
        </div>
      )}
      <span
        class="prompt-mode"
        title={[`${label} mode`, run.at !== undefined && timeText(run.at)].filter(Boolean).join(', ')}
        aria-hidden="true"
      >
        <Icon name={run.plan ? 'run-all' : run.applies ? 'git-stash-apply' : icon} />
      </span>
    </div>
  );
}
