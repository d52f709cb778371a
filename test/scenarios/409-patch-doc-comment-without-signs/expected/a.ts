/**
 * One.
 * And.
 * Two.
 */
export const a = 1;
