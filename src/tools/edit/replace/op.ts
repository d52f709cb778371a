/** A line of a diff: kept, removed or added. */
export type Op = { sign: ' ' | '-' | '+'; text: string };
