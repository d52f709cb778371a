import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_IMAGES } from '../../src/core/model/images.ts';
import { isSameMention } from '../../src/core/model/mentions.ts';
import type { Mode } from '../../src/core/session/events.ts';
import { parseSlashCommand } from '../../src/core/words/slash-commands.ts';
import { loadState, post, saveState } from '../host.ts';
import { type PastedImage, readImages } from '../images.ts';
import { memo } from '../memo-component.ts';
import { MODE } from '../modes.ts';
import { type Recall, recall, remember } from '../prompt-history.ts';
import { type ChosenMention, type Draft, modeOf, type PanelModel, questionOf } from '../state.ts';
import { current, dispatch } from '../store.ts';
import { Icon } from './icon.tsx';
import { Chips, MentionQuestion } from './mentions/chips.tsx';
import { droppedUris } from './mentions/dropped-uris.ts';
import { LIST_ID, MentionList, optionId } from './mentions/mention-list.tsx';
import { type Completion, useCompletion } from './mentions/use-completion.ts';
import { Thumbnails } from './transcript/thumbnails.tsx';

type ComposerProps = {
  mode: Mode;
  running: boolean;
  /** Whether a message is added to the current run. */
  steers: boolean;
  /** Whether a message starts a new run in place of the last run, which is paused, for example at a limit. */
  replaces: boolean;
  sessionId: string | undefined;
  compose: { text: string } | undefined;
  waiting: Waiting | undefined;
  /** The name of the chosen model, if it does not accept images. */
  blind: string | undefined;
  /** Whether mentions of a message are being read, which can be stopped. */
  reading: boolean;
} & Pick<PanelModel, 'found' | 'mentions' | 'suggested' | 'returned'>;

const DRAFT: Recall = { at: 0, draft: '' };

export const Composer = memo((props: ComposerProps) => {
  const { mode, running, steers, replaces, sessionId, compose, waiting, blind, found, mentions, suggested, returned, reading } = props;
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

  // A message that was not accepted returns before what the user has written meanwhile.
  useLayoutEffect(() => {
    const { value, selectionStart } = box.current ?? {};
    if (returned.length === 0 || value === undefined || selectionStart === undefined) return;
    const texts = returned.map(({ text }) => text.trim());
    const next = [...texts, value].filter((each) => each.trim() !== '').join('\n\n');
    put(next);
    const caret = Math.max(0, next.length - value.length + selectionStart);
    box.current?.setSelectionRange(caret, caret);
    setImages((before) => [...returned.flatMap((draft) => draft.images), ...before].slice(0, MAX_IMAGES));
    dispatch({ type: 'drafts_returned' });
  }, [returned]);

  useLayoutEffect(() => {
    if (!compose || !box.current) return;
    put(compose.text);
    const gap = compose.text.indexOf('…');
    box.current.focus();
    if (gap >= 0) box.current.setSelectionRange(gap, gap + 1);
  }, [compose]);

  // An approval or question gets the focus unless the user is writing. After the answer, the composer gets the focus. The transcript
  // scrolls to the card.
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
    // These commands take nothing but text. The rest stays for the next message.
    const name = parseSlashCommand(prompt)?.name;
    const isTextOnly = name === 'remember' || name === 'compact';
    const draft: Draft = {
      id: crypto.randomUUID(),
      text: prompt,
      images: isTextOnly ? [] : images,
      mentions: isTextOnly ? [] : chosenMentions,
    };
    put('');
    dispatch({ type: 'notice_dismissed' });
    dispatch({ type: 'message_sent', draft });
    // On a busy machine, a mode that the user has just chosen may not be rendered yet.
    const chosen = modeOf(current()) ?? mode;
    post({
      type: 'prompt',
      id: draft.id,
      text: prompt,
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
          Reading what you mentioned…
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
      {(running || reading) && (
        <button type="button" class="send stop" aria-label="Stop" title="Stop (Escape)" onClick={() => post({ type: 'stop' })}>
          <Icon name="debug-stop" />
        </button>
      )}
      {!(running && isEmpty) && (
        <button
          type="button"
          class="send"
          aria-label={steers ? 'Add to the run' : 'Send'}
          title={steers ? 'Add to the run (Enter)' : 'Send (Enter)'}
          disabled={isEmpty}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      )}
    </form>
  );
});

/** While the list is open, the focus stays in the text, which names the active option, as in a combobox. */
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
