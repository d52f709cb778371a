/**
 * One.
 * Two.
 */
export const a = 1;
