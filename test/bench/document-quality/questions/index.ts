import { guides } from './guides.ts';
import type { Question } from './question.ts';
import { references } from './references.ts';

export const QUESTIONS: readonly Question[] = [...guides, ...references];
