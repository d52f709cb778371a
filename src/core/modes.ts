/** The modes of a run. */
export type Mode = 'ask' | 'plan' | 'agent';
export const MODES: readonly Mode[] = ['ask', 'plan', 'agent'];
export const MODE_NAME: Readonly<Record<Mode, string>> = { ask: 'Ask', plan: 'Plan', agent: 'Agent' };
