/** The name of the terminals in which Kedge runs commands. */
export const TERMINAL_NAME = 'Kedge';
