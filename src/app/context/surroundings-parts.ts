/** The parts of the surroundings, each of which the user can turn off. */
export const PARTS = ['system', 'date', 'folders', 'git', 'activeFile', 'openFiles', 'problems'] as const;
export type Part = (typeof PARTS)[number];
