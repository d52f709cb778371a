/** Variables in front of a command that change how it prints, not what it does. */
const HARMLESS = new Set(
  `CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM LANG LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME TZ COLUMNS LINES
  RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONHASHSEED GIT_TERMINAL_PROMPT
  NPM_CONFIG_LOGLEVEL npm_config_loglevel CI_JOB_ID VERBOSE`.split(/\s+/),
);

/** No pager, no editor. */
const HARMLESS_AS_THEY_ARE = /^(?:(?:GIT_|MAN)?PAGER=(?:cat)?|GIT_EDITOR=(?:true|:))$/;
/** Where programs that run the workspace's Python have their modules anyway; another program written in Python would begin to run it. */
const OWN_MODULES = /^PYTHONPATH=(?:\.\/)?(?:\.|src|lib)?$/;
const RUNS_OWN_MODULES = /^(?:python[\d.]*|pytest|py\.test)$/;

/** `NAME=value` of a harmless name, with a value that names no path; `program` is what it stands in front of. */
export function isHarmlessAssignment(text: string, program = ''): boolean {
  if (HARMLESS_AS_THEY_ARE.test(text) || (RUNS_OWN_MODULES.test(program) && OWN_MODULES.test(text))) return true;
  const [name = '', ...value] = text.split('=');
  return HARMLESS.has(name) && /^[\w.,:=@%+-]*$/.test(value.join('='));
}
