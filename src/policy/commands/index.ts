export { analyzeCommand } from './analyze.ts';
export { judgeCommand } from './judge.ts';
export { suggestedPrefix } from './suggest.ts';
