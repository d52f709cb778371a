/** Environment variables that affect a command's output but not what it does. */
const HARMLESS = new Set(
  `CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM LANG LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME TZ COLUMNS LINES
  RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONHASHSEED GIT_TERMINAL_PROMPT
  NPM_CONFIG_LOGLEVEL npm_config_loglevel CI_JOB_ID VERBOSE`.split(/\s+/),
);

/** Assignments that are harmless with exactly these values: no pager, no editor. */
const HARMLESS_AS_THEY_ARE = /^(?:(?:GIT_|MAN)?PAGER=(?:cat)?|GIT_EDITOR=(?:true|:))$/;
/**
 * Module paths of the workspace. Python and pytest load workspace code anyway; another Python program would load it only because of this
 * variable.
 */
const OWN_MODULES = /^PYTHONPATH=(?:\.\/)?(?:\.|src|lib)?$/;
const RUNS_OWN_MODULES = /^(?:python[\d.]*|pytest|py\.test)$/;

/**
 * Returns true if a `NAME=value` assignment has a harmless name and a value without paths. `program` is the program that receives the
 * variable.
 */
export function isHarmlessAssignment(text: string, program = ''): boolean {
  if (HARMLESS_AS_THEY_ARE.test(text) || (RUNS_OWN_MODULES.test(program) && OWN_MODULES.test(text))) return true;
  const [name = '', ...value] = text.split('=');
  return HARMLESS.has(name) && /^[\w.,:=@%+-]*$/.test(value.join('='));
}
