export { analyzeCommand } from './analyze.ts';
export { judgeCommand } from './evaluate.ts';
export { suggestedPrefix } from './suggest.ts';
