/** Holds the panel's state, and renders at most once per frame. */
import type { ToPanel } from '../src/protocol/panel.ts';
import { loadState } from './host.ts';
import { EMPTY, type Local, type PanelModel, reduce } from './state.ts';

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

export function start(onChange: (model: PanelModel) => void): void {
  render = onChange;
  window.addEventListener('message', ({ data }: MessageEvent<ToPanel>) => dispatch(data));
  onChange(model);
}
