import type { HookRan } from '../session/effects.ts';
import { visibleLine } from './visible-text.ts';

const DID: Record<HookRan['outcome'], string> = {
  denied: ' denied this',
  asked: ' requires your approval',
  added: ' told the model',
  notified: '',
  failed: ' failed',
  skipped: ' was not run',
};
const MAX_TEXT = 300;

/** Says on one line what a hook did. */
export function hookText({ hook, source, outcome, text }: Pick<HookRan, 'hook' | 'source' | 'outcome' | 'text'>): string {
  const line = visibleLine(text.replace(/\s+/g, ' ').trim());
  const said = line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT).toWellFormed()} …` : line;
  return `${source === 'user' ? 'Your hook' : 'The workspace’s hook'} ${visibleLine(hook)}${DID[outcome]}: ${said}`;
}
