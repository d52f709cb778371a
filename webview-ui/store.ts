/** Holds the panel's state, and renders at most once per frame. */
import type { ToPanel } from '../src/protocol/panel.ts';
import { loadState } from './host.ts';
import { addImage } from './image-store.ts';
import type { Local, PanelModel } from './model.ts';
import { EMPTY, reduce } from './state.ts';

let model: PanelModel = { ...EMPTY, mentions: loadState().mentions };
let render: ((model: PanelModel) => void) | undefined;
let scheduled = false;

/** Returns the newest state, which may not be rendered yet. */
export function current(): PanelModel {
  return model;
}

export function dispatch(message: ToPanel | Local): void {
  const next = reduce(model, message);
  if (next === model) return;
  model = next;
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    render?.(model);
  });
}

function takeFocus(): void {
  window.focus();
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
}

export function start(onChange: (model: PanelModel) => void): void {
  render = onChange;
  window.addEventListener('message', ({ data }: MessageEvent<ToPanel>) => {
    if (data.type === 'image') addImage(data);
    // The frame around the panel may get the focus at the same moment, and the text of an earlier message is rendered in the next frame.
    else if (data.type === 'take_focus') requestAnimationFrame(() => requestAnimationFrame(takeFocus));
    else dispatch(data);
  });
  onChange(model);
}
