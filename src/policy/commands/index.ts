export { analyzeCommand } from './analyze.ts';
export { evaluateCommand } from './evaluate.ts';
export { suggestedPrefix } from './suggest.ts';
