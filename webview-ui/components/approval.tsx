import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalAnswer, GrantScope } from '../../src/core/events.ts';
import { count } from '../format.ts';
import { post } from '../host.ts';
import { memo } from '../memo.ts';
import type { ApprovalView } from '../run-view.ts';
import { Button, IconButton } from './button.tsx';
import { Diff } from './diff.tsx';
import { Expandable } from './expandable.tsx';
import { Counts, FileLink, KindBadge } from './file-link.tsx';
import { Icon } from './icon.tsx';
import { useSent } from './use-sent.ts';

const SCOPES: GrantScope[] = ['run', 'session', 'workspace'];

/** A question that the run waits on, with exactly the change that a yes applies. */
export const Approval = memo(({ approval }: { approval: ApprovalView }) => {
  const [sent, mark] = useSent();
  const { approvalId, changes } = approval;
  const answer = (given: ApprovalAnswer) => {
    if (sent) return;
    mark();
    post({ type: 'answer_approval', approvalId, answer: given });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) answer({ approve: true });
  };
  return (
    <section class="card waiting" aria-label={`Approval: ${approval.title}`} tabIndex={-1} data-waiting={approvalId} onKeyDown={onKeyDown}>
      <div class="card-head">
        <Icon name="shield" tone="warn" />
        <h3>{approval.title}</h3>
      </div>
      <p class="dim">{approval.reason}</p>
      {changes.map((change) => (
        <Expandable
          key={change.path}
          class="file-diff"
          open={changes.length <= 3}
          summary={<span class="sr-only">Changes in {change.path}</span>}
          aside={
            <>
              <FileLink path={change.path} from={change.from} callId={approval.callId} />
              <KindBadge kind={change.kind} />
              <Counts added={change.added} removed={change.removed} />
              <IconButton
                icon="diff"
                label={`Open diff of ${change.path}`}
                onClick={() => post({ type: 'open_diff', callId: approval.callId, path: change.path })}
              />
            </>
          }
        >
          {() => (
            <Diff
              diff={change.diff}
              label={`Diff of ${change.path}`}
              onMore={() => post({ type: 'open_diff', callId: approval.callId, path: change.path })}
            />
          )}
        </Expandable>
      ))}
      <Answers canGrant={approval.rule === 'edit'} disabled={sent} onAnswer={answer} files={changes.length} />
    </section>
  );
});

type AnswersProps = { canGrant: boolean; disabled: boolean; files: number; onAnswer: (answer: ApprovalAnswer) => void };

function Answers({ canGrant, disabled, files, onAnswer }: AnswersProps) {
  const [view, setView] = useState<'buttons' | 'reject'>('buttons');
  const [more, setMore] = useState(false);
  const answers = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (more) answers.current?.scrollIntoView({ block: 'nearest' });
  }, [more]);
  if (view === 'reject') return <Reject disabled={disabled} onAnswer={onAnswer} onBack={() => setView('buttons')} />;
  return (
    <div class="answers" ref={answers}>
      <div class="buttons">
        <span class={canGrant ? 'split' : ''}>
          <Button kind="primary" disabled={disabled} title="Ctrl+Enter" onClick={() => onAnswer({ approve: true })}>
            {files > 1 ? `Approve ${count(files, 'file')}` : 'Approve'}
          </Button>
          {canGrant && (
            <button
              type="button"
              class="button primary"
              aria-label="More ways to approve"
              aria-expanded={more}
              disabled={disabled}
              onClick={() => setMore(!more)}
            >
              <Icon name={more ? 'chevron-up' : 'chevron-down'} />
            </button>
          )}
        </span>
        <Button disabled={disabled} onClick={() => setView('reject')}>
          Reject…
        </Button>
      </div>
      {more && (
        <ul class="grants">
          {SCOPES.map((grant) => (
            <li key={grant}>
              <Button kind="link" disabled={disabled} onClick={() => onAnswer({ approve: true, grant })}>
                Approve edits for this {grant}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Reject({ disabled, onAnswer, onBack }: { disabled: boolean; onAnswer: AnswersProps['onAnswer']; onBack: () => void }) {
  const [words, setWords] = useState('');
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    form.current?.querySelector('textarea')?.focus();
    form.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const reject = () => onAnswer({ approve: false, words: words.trim() || undefined });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      reject();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      onBack();
    }
  };
  return (
    <div class="answers" ref={form}>
      <textarea
        class="field"
        rows={2}
        aria-label="Words for the model"
        placeholder="What should be different? (optional)"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="buttons">
        <Button kind="primary" disabled={disabled} onClick={reject}>
          Reject
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}
