import * as z from 'zod';
import { type Tool, ToolError } from '../../core/run/tool.ts';
import { defineTool } from '../define-tool.ts';
import { evaluate, numberText } from './expression.ts';

const MAX_EXPRESSIONS = 50;

/** Calculates without running code. It reads nothing and changes nothing. */
export function calculateTool(): Tool {
  return defineTool({
    name: 'calculate',
    description:
      'Calculate: + - * / % ^ ( ), sum, mean, median, stdev, count, min, max, round(x, digits), abs, sqrt, floor, ceil, exp, ln, log10, pi.',
    effect: 'readonly',
    input: z.object({ expressions: z.array(z.string().min(1)).min(1).max(MAX_EXPRESSIONS) }),
    async prepare({ expressions }) {
      const [first = ''] = expressions;
      return {
        title: `Calculate ${first.length > 60 ? `${first.slice(0, 58).toWellFormed()} …` : first}`,
        targets: [],
        async execute() {
          const results = expressions.map(resultOf);
          return { content: results.map(({ text }) => text).join('\n'), ...(results.every(({ isError }) => isError) && { isError: true }) };
        },
      };
    },
  });
}

/** One mistake must not cost the other results. */
function resultOf(expression: string): { text: string; isError: boolean } {
  try {
    return { text: `${expression} = ${numberText(evaluate(expression))}`, isError: false };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { text: `${expression}: ${error.message}`, isError: true };
  }
}
