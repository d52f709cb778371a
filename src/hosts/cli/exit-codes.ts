/** The exit codes of the program. `kedge --help` describes them. */
export const EXIT = { answered: 0, failed: 1, usage: 2, paused: 3, planProposed: 4, stopped: 130 } as const;
