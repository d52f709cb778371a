import type { SessionCommand } from './context.ts';

const COMMON = `  --folder DIR             the folder whose sessions to use (default: the current folder)
  --json                   print lines of JSON
`;
const SESSION = '  SESSION is an id, the beginning of an id, or last.\n';

export const SESSION_HELP: Record<SessionCommand, string> = {
  sessions: `Usage
  kedge sessions                         list the sessions of this folder, pinned ones first
  kedge sessions search WORDS            find the sessions whose title or text contains all words
  kedge sessions rename SESSION TITLE    give a session another title
  kedge sessions pin SESSION             list a session first; also: unpin
  kedge sessions delete SESSION…         move sessions into the trash
  kedge sessions restore SESSION         bring a session back from the trash
  kedge sessions empty-trash             permanently delete the sessions in the trash

${SESSION}  The trash is emptied after 14 days. File contents for undo that only deleted sessions need are deleted as well.

Options
  --deleted                list the sessions in the trash
  --usage                  show the disk space of sessions and file contents for undo, and how long they are kept
  --all                    list the sessions of all folders, newest first; with search: also search the titles and
                           folder names of the others; with delete: all sessions of this folder
  --older-than DAYS        with delete: sessions that have not changed for this many days, except pinned ones
  -y, --yes                do not ask before many sessions are deleted
${COMMON}`,
  fork: `Usage
  kedge fork SESSION                     start a session with all messages of another session
  kedge fork SESSION --at N              …with its messages up to number N
  kedge fork SESSION --before N          …with its messages before number N, to rewrite that message

${SESSION}  kedge export SESSION shows the messages with their numbers. The other session stays as it is.
  Permissions, open questions and approvals are left out.

Options
  --restore                also restore the files that Kedge changed after that message; your own changes since are
                           kept by merging, or the file is left as it is. Undo it in the other session
${COMMON}`,
  export: `Usage
  kedge export SESSION                   print a session as Markdown, to read
  kedge export SESSION --format json     print its log, to keep or to import elsewhere

${SESSION}
Options
  --redact                 replace keys, contents of secret files, the home folder and the user name, and list what was
                           replaced
  --redact=WORD            also replace this word; repeat it for several
  -o, --output FILE        write to a file
  -y, --yes                do not ask before the redacted session is written
${COMMON}`,
  import: `Usage
  kedge import FILE                      add a session that was exported with --format json

  The file is checked in the same way as a damaged log. Permissions, open questions and approvals are left out, its
  changes cannot be undone, and its plans cannot be run.

Options
${COMMON}`,
  replay: `Usage
  kedge replay SESSION                   show a session again as it looked while it ran

${SESSION}  Nothing is sent, executed or written.

Options
  --speed N                N times as fast; pauses are at most 2 seconds long (default: 1)
  --step                   wait for Enter after each message and call
${COMMON}`,
  doctor: `Usage
  kedge doctor                           check and repair the sessions of this folder and the files stored with them

  Logs are never deleted. A damaged log is rewritten without the damaged lines, and a copy of the damaged log is kept.

Options
  --check                  change nothing
${COMMON}`,
  insights: `Usage
  kedge insights                         show statistics about the runs of this folder: how they ended, tool calls,
                                         approvals, tokens, cost, time, failed edits, limits and your ratings

  Everything is computed from the logs on this computer, and nothing is sent. Copies of events in forked and imported
  sessions are not counted again, and deleted sessions are not counted.

Options
  --all                    count the runs of all folders
  --days N                 only the last N days including today (default: all)
  --csv                    print one line for each count: day, mode, model, group, name, value
${COMMON}`,
  docs: `Usage
  kedge docs add NAME SOURCE…            index documents as the collection NAME, or add sources to it
  kedge docs update [NAME…]              index what has changed since, in all collections or in these
  kedge docs list                        list the collections of this folder and the global ones
  kedge docs show NAME                   list the documents of a collection, and why some could not be read
  kedge docs search [NAME…] "WORDS"      find passages in all collections or in these; a word with a * at its end
                                         stands for all words that begin with it
  kedge docs ask "QUESTION"              answer from the documents alone, with the places that were opened, and a confidence
  kedge docs ask -i                      ask several questions, one after another; /help shows the commands
  kedge docs summarize NAME [DOCUMENT]   summarize a collection or one of its documents, in parts if the model is small
  kedge docs worksheet NAME [DOCUMENT]   write questions with answers and sources
  kedge docs compare NAME DOC DOC        compare two documents
  kedge docs remove NAME                 delete a collection; the documents themselves stay as they are

  SOURCE is a folder, a glob in quotation marks, a file, or the address of a web page or of an llms.txt. Files that ignore
  files exclude, that may contain secrets, or that a rule protects from being read are left out. Everything is stored
  on this computer, outside your folders. If it is interrupted, kedge docs update continues.

  With an embedding model (kedge config set embeddingModel openai/text-embedding-3-small), passages with other words
  than the question are found too. Their text is sent to that model, after its cost was shown and you have agreed.

Options
  --global                 with add: a collection for all folders
  --package NAME           with add: the documents of an installed npm package; repeat it for several
  --code                   with add: also index the comments in source code
  --depth N                with add: follow links to pages below the address, N links deep (default: 0)
  --pages N                with add: fetch at most N pages for each address (default: 100)
  --no-embeddings          with add and update: compute no embeddings
  -y, --yes                with add and update: compute embeddings without asking; their cost is printed
  --failed                 with show: list only the documents that could not be read
  --path GLOB              with show and search: only the documents at this path
  --limit N                with show and search: at most N lines (default: 1000) or passages (default: 10)
  --fuzzy                  with search: if no document contains a word, find words that differ from it in one or two letters
  -u, --use-case WORDS     with ask: what the answer is for
  -c, --collections NAMES  with ask: search only these, such as handbook,manuals
  --no-global              with ask: leave out global collections
  -i, --interactive        with ask: keep the conversation
  --verbose                with ask: print each step as it happens
  -m, --model, --temperature, --max-output-tokens, --max-calls, --max-tokens, --price
                           with ask, summarize, worksheet and compare: as for kedge ask
  --folder DIR             the folder (default: the current folder)
  --json                   print lines of JSON
`,
};
