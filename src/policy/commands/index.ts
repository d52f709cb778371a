export { analyzeCommand } from './analyze.ts';
export { evaluateCommand as judgeCommand } from './evaluate.ts';
export { suggestedPrefix } from './suggest.ts';
