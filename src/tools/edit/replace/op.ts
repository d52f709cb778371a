/** A line of a change: kept, removed or added. */
export type Op = { sign: ' ' | '-' | '+'; text: string };
