import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_IMAGES } from '../../../src/core/model/images.ts';
import { isSameMention } from '../../../src/core/model/mentions.ts';
import type { Mode } from '../../../src/core/session/events.ts';
import { parseSlashCommand } from '../../../src/core/words/slash-commands.ts';
import type { PanelState } from '../../../src/protocol/panel.ts';
import { loadState, post, saveState } from '../../host.ts';
import { type PastedImage, readImages } from '../../images.ts';
import { memo } from '../../memo-component.ts';
import type { ChosenMention, Draft, PanelModel } from '../../model.ts';
import { MODE } from '../../modes.ts';
import { type Recall, recall, remember } from '../../prompt-history.ts';
import { modeOf, questionOf } from '../../state.ts';
import { current, dispatch } from '../../store.ts';
import { Chips, MentionQuestion } from '../mentions/chips.tsx';
import { droppedUris } from '../mentions/dropped-uris.ts';
import { LIST_ID, MentionList, optionId } from '../mentions/mention-list.tsx';
import { type Completion, useCompletion } from '../mentions/use-completion.ts';
import { editNewest } from '../transcript/queue.tsx';
import { Thumbnails } from '../transcript/thumbnails.tsx';
import { AgentLine, ComposerBar, Readiness, WithoutApproval } from './composer-bar.tsx';
import { NOTHING_BACK, stillBack, withPutBack } from './put-back.ts';
import { carryOut } from './slash-commands.ts';

type ComposerProps = {
  host: PanelState | undefined;
  /** The mode is `ask` until the host has sent the current mode. */
  mode: Mode;
  /** Whether the session has no messages yet. */
  isNew: boolean;
  running: boolean;
  /** Whether a message is added to the current run. */
  steers: boolean;
  /** Whether a message starts a new run in place of the last run, because that run is paused, for example at a limit. */
  replaces: boolean;
  sessionId: string | undefined;
  compose: { text: string } | undefined;
  waiting: Waiting | undefined;
  /** Whether the mentions of a message are being read. The user can stop this. */
  reading: boolean;
} & Pick<PanelModel, 'found' | 'mentions' | 'suggested' | 'returned'>;

const DRAFT: Recall = { at: 0, draft: '' };

export const Composer = memo((props: ComposerProps) => {
  const { host, mode, isNew, running, steers, replaces, sessionId, compose, waiting, found, mentions, suggested, returned, reading } =
    props;
  const blind = host?.blind ? host.modelName : undefined;
  const box = useRef<HTMLTextAreaElement>(null);
  const history = useRef<string[]>([]);
  const recalled = useRef(DRAFT);
  const [text, setText] = useState(() => {
    const state = loadState();
    history.current = state.history;
    return state.draft;
  });

  const [images, setImages] = useState<readonly PastedImage[]>([]);
  useLayoutEffect(() => saveState({ draft: text, mentions, history: history.current }), [text, mentions]);

  const putBack = useRef(NOTHING_BACK);
  // A message that was not accepted is put back into the text box, before the text that the user has written since.
  useLayoutEffect(() => {
    const { value, selectionStart } = box.current ?? {};
    if (returned.length === 0 || value === undefined || selectionStart === undefined) return;
    const earlier = stillBack(value, putBack.current);
    const texts = returned.map(({ text }) => text.trim());
    const { back, next } = withPutBack(value, texts, earlier);
    put(next);
    const caret = selectionStart < earlier.text.length ? selectionStart : Math.max(0, next.length - value.length + selectionStart);
    box.current?.setSelectionRange(caret, caret);
    const added = returned.flatMap((draft) => draft.images);
    putBack.current = { text: back, images: earlier.images + added.length };
    setImages((before) => before.toSpliced(earlier.images, 0, ...added).slice(0, MAX_IMAGES));
    dispatch({ type: 'drafts_returned' });
  }, [returned]);

  useLayoutEffect(() => {
    if (!compose || !box.current) return;
    put(compose.text);
    const gap = compose.text.indexOf('…');
    box.current.focus();
    if (gap >= 0) box.current.setSelectionRange(gap, gap + 1);
  }, [compose]);

  // An approval or question gets the focus unless the user is writing, and the transcript scrolls to its card. After the answer, the
  // composer gets the focus.
  const waitingKey = waiting?.key;
  useEffect(() => {
    if (!waitingKey) return;
    const isFree = document.activeElement === document.body || (document.activeElement === box.current && !box.current?.value);
    if (document.hasFocus() && isFree)
      document.querySelector<HTMLElement>(`[data-waiting="${CSS.escape(waitingKey)}"]`)?.focus({ preventScroll: true });
    return () => {
      requestAnimationFrame(() => {
        if (document.hasFocus() && document.activeElement === document.body) box.current?.focus();
      });
    };
  }, [waitingKey]);

  const put = (next: string) => {
    if (box.current) box.current.value = next;
    setText(next);
  };

  const completion = useCompletion({ box, found, put, onChoose: (ref) => post({ type: 'check_mention', ref }) });
  const question = questionOf(mentions);
  const isEmpty = !text.trim() && images.length === 0;

  const send = () => {
    const prompt = text.trim();
    // A mention that was just added may not be rendered yet.
    const chosenMentions = current().mentions;
    if (isEmpty) return;
    if (questionOf(chosenMentions)) return document.querySelector<HTMLElement>('.mention-question button')?.focus();
    if (prompt) history.current = remember(history.current, prompt);
    recalled.current = DRAFT;
    const carried = carryOut(prompt, current());
    if (carried && carried.text === undefined) return put('');
    // These commands accept only text. Images and mentions stay for the next message.
    const name = parseSlashCommand(prompt)?.name;
    const isTextOnly = name === 'remember' || name === 'compact';
    const draft: Draft = {
      id: crypto.randomUUID(),
      text: carried?.text ?? prompt,
      images: isTextOnly ? [] : images,
      mentions: isTextOnly ? [] : carried?.withChanges ? [...chosenMentions, { ref: { kind: 'changes' } }] : chosenMentions,
    };
    put('');
    dispatch({ type: 'notice_dismissed' });
    dispatch({ type: 'message_sent', draft });
    // On a busy machine, a mode that the user has just chosen may not be rendered yet.
    const chosen = carried?.mode ?? modeOf(current()) ?? mode;
    post({
      type: 'prompt',
      id: draft.id,
      text: draft.text,
      mode: chosen,
      ...(sessionId && { sessionId }),
      ...(draft.images.length > 0 && { images: [...draft.images] }),
      ...(draft.mentions.length > 0 && {
        mentions: draft.mentions.map(({ ref, question }) => ({ ref, ...(question && { confirmed: question.key }) })),
      }),
    });
    if (isTextOnly) return;
    setImages([]);
    dispatch({ type: 'mentions_set', mentions: [] });
  };

  /** Returns true if the data contained files. */
  const attach = (data: DataTransfer | null): boolean => {
    const files = [...(data?.files ?? [])];
    if (files.length === 0) return false;
    void readImages(files, MAX_IMAGES - images.length).then(({ images: read, problem }) => {
      setImages((before) => [...before, ...read].slice(0, MAX_IMAGES));
      if (problem) dispatch({ type: 'notice', level: 'info', text: problem });
      box.current?.focus();
    });
    return true;
  };

  const remove = (index: number) => {
    setImages(images.toSpliced(index, 1));
    box.current?.focus();
  };

  const removeMention = (mention: ChosenMention) => {
    // The newest list may not be rendered yet.
    dispatch({ type: 'mentions_set', mentions: current().mentions.filter(({ ref }) => ref !== mention.ref) });
    box.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || !box.current || completion.onKey(event)) return;
    const { selectionStart, selectionEnd, value } = box.current;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    } else if (event.key === 'Backspace' && value === '' && !event.repeat) {
      const last = current().mentions.at(-1);
      if (last) removeMention(last);
    } else if (
      selectionStart === selectionEnd &&
      (event.key === 'ArrowUp' ? selectionEnd === 0 : event.key === 'ArrowDown' && selectionEnd === value.length)
    ) {
      // As in other assistants, the up arrow opens the newest message for editing.
      if (event.key === 'ArrowUp' && value === '' && editNewest()) return event.preventDefault();
      const next = recall(history.current, recalled.current, event.key === 'ArrowUp' ? 1 : -1, value);
      if (!next) return;
      event.preventDefault();
      recalled.current = next;
      put(next.text);
      const caret = event.key === 'ArrowUp' ? 0 : next.text.length;
      box.current.setSelectionRange(caret, caret);
    }
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => event.preventDefault()}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const uris = droppedUris(event.dataTransfer);
        if (uris.length > 0) post({ type: 'drop_uris', uris });
        if (uris.length > 0 || attach(event.dataTransfer)) event.preventDefault();
      }}
    >
      {completion.choices.length > 0 && (
        <MentionList choices={completion.choices} active={completion.active} onChoose={completion.choose} />
      )}
      {host && <Readiness host={host} isNew={isNew} />}
      {host && <AgentLine {...host} />}
      {host && <WithoutApproval host={host} mode={mode} />}
      <Chips
        mentions={mentions}
        suggested={suggested && !mentions.some(({ ref }) => isSameMention(ref, suggested)) ? suggested : undefined}
        onRemove={removeMention}
        onAdd={(ref) => {
          post({ type: 'check_mention', ref });
          box.current?.focus();
        }}
      />
      {question && (
        <MentionQuestion
          mention={question}
          onYes={() => {
            dispatch({ type: 'mention_confirmed', mention: question });
            box.current?.focus();
          }}
          onNo={() => removeMention(question)}
        />
      )}
      {reading && (
        <p class="reading" role="status">
          Reading the mentions…
        </p>
      )}
      <Thumbnails images={images} onRemove={remove} />
      <p class="blind" role="status">
        {images.length > 0 &&
          blind &&
          `${blind} does not accept images. It gets a note instead of ${images.length === 1 ? 'the image' : `the ${images.length} images`}.`}
      </p>
      <textarea
        ref={box}
        rows={1}
        value={text}
        aria-label={`Prompt (${MODE[mode].label} mode)`}
        placeholder={placeholder({ mode, running, steers, replaces, waiting })}
        {...comboboxProps(completion)}
        onInput={(event) => {
          recalled.current = DRAFT;
          setText(event.currentTarget.value);
          completion.update();
        }}
        onKeyDown={onKeyDown}
        onKeyUp={completion.update}
        onClick={completion.update}
        onPaste={(event) => {
          // Some programs copy a text together with an image of the text. It is pasted as text.
          if (!event.clipboardData?.types.includes('text/plain') && attach(event.clipboardData)) event.preventDefault();
        }}
      />
      <ComposerBar
        host={host}
        mode={host && mode}
        canStop={running || reading}
        send={running && isEmpty ? undefined : steers ? 'Add to the run' : 'Send'}
        isEmpty={isEmpty}
        onSend={send}
      />
    </form>
  );
});

/** While the list is open, the focus stays in the text field, and `aria-activedescendant` refers to the active option, as in a combobox. */
function comboboxProps({ choices, active }: Pick<Completion, 'choices' | 'active'>) {
  if (choices.length === 0) return {};
  return {
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': LIST_ID,
    'aria-activedescendant': optionId(active),
  } as const;
}

function placeholder(props: Pick<ComposerProps, 'mode' | 'running' | 'steers' | 'replaces' | 'waiting'>): string {
  const { mode, running, steers, replaces, waiting } = props;
  if (waiting?.for === 'approval' || waiting?.for === 'question') return 'Answer above, or add to the run';
  if (steers) return running ? 'Add to the run (Escape to stop)' : 'Add to the run';
  if (replaces) return 'Start a new run instead';
  return waiting ? 'Describe what to change' : MODE[mode].placeholder;
}

export type Waiting = { for: 'approval' | 'question' | 'plan'; key: string };
