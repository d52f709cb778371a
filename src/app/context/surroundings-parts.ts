/** The parts of the surroundings. The user can turn off each of them. */
export const PARTS = ['system', 'date', 'folders', 'git', 'activeFile', 'openFiles', 'problems'] as const;
export type Part = (typeof PARTS)[number];
