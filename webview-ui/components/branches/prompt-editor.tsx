import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { parseSlashCommand } from '../../../src/core/words/slash-commands.ts';
import { filesSince } from '../../files-since.ts';
import { count } from '../../format.ts';
import type { PanelRun } from '../../model.ts';
import { current } from '../../store.ts';
import { Button } from '../button.tsx';
import { carryOut } from '../composer/slash-commands.ts';
import { Chips } from '../mentions/chips.tsx';
import { Thumbnails } from '../transcript/thumbnails.tsx';
import { useSent } from '../use-sent.ts';
import { postBranch } from './post-branch.ts';

type PromptEditorProps = {
  run: PanelRun;
  /** Whether a run is in progress in the session. It is stopped when the message is sent. */
  running: boolean;
  onClose: () => void;
};

type Indexed<T> = { item: T; index: number };
const indexed = <T,>(items: readonly T[]): Indexed<T>[] => items.map((item, index) => ({ item, index }));

function removed(all: readonly unknown[] = [], left: readonly Indexed<unknown>[]): number[] {
  const kept = new Set(left.map(({ index }) => index));
  return all.map((_, index) => index).filter((index) => !kept.has(index));
}

/** Edits an earlier message in place, with its images and mentions. Sending it begins a branch of the session. */
export function PromptEditor({ run, running, onClose }: PromptEditorProps) {
  const files = useMemo(() => filesSince(current().runs, run.id, 'before'), []);
  // A message that contains only images is shown as “Image”.
  const [text, setText] = useState(run.prompt === 'Image' && run.images ? '' : run.prompt);
  const [images, setImages] = useState(indexed(run.images ?? []));
  const [mentions, setMentions] = useState(indexed(run.mentions ?? []));
  const [restore, setRestore] = useState(files > 0);
  const [isSent, markSent] = useSent();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const box = field.current;
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
  }, []);
  const isEmpty = !text.trim() && images.length === 0;

  const send = () => {
    if (isEmpty || isSent) return;
    const prompt = text.trim();
    const carried = carryOut(prompt, current());
    if (carried && carried.text === undefined) return onClose();
    const name = parseSlashCommand(prompt)?.name;
    // These commands are not sent as messages, so no branch replaces the editor.
    if (name === 'remember' || name === 'compact') onClose();
    markSent();
    const { text: replaced = prompt, ...others } = carried ?? {};
    const without = { images: removed(run.images, images), mentions: removed(run.mentions, mentions) };
    postBranch({ type: 'resend', runId: run.id, edited: { text: replaced, without, ...others }, restore: restore && files > 0 });
  };
  const onEscape = (event: KeyboardEvent) => {
    if (event.isComposing || event.key !== 'Escape') return;
    // Escape must not stop a run.
    event.preventDefault();
    onClose();
  };
  const onEnter = (event: KeyboardEvent) => {
    if (event.isComposing || event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form class="prompt-editor" aria-label="Edit the message" onSubmit={(event) => event.preventDefault()} onKeyDown={onEscape}>
      <Thumbnails images={images.map(({ item }) => item)} onRemove={(at) => setImages(images.toSpliced(at, 1))} />
      <Chips
        mentions={mentions.map(({ item }) => ({ ref: item }))}
        suggested={undefined}
        onRemove={({ ref }) => setMentions(mentions.filter(({ item }) => item !== ref))}
        onAdd={() => undefined}
      />
      <textarea
        ref={field}
        class="field"
        rows={1}
        aria-label="Message"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onEnter}
      />
      {files > 0 && (
        <label class="restore-files">
          <input type="checkbox" checked={restore} onChange={(event) => setRestore(event.currentTarget.checked)} />
          <span>Restore {count(files, 'file')} that Kedge has changed since</span>
        </label>
      )}
      <p class="dim">
        {running ? 'Sending stops the run, and' : 'The conversation continues from here, and'} later messages stay in the earlier version.
      </p>
      <div class="buttons">
        <Button kind="primary" disabled={isEmpty || isSent} onClick={send}>
          {running ? 'Stop and send' : 'Send'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
