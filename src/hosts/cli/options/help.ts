import { SESSION_HELP } from '../sessions/help.ts';
import { optionLines } from './option-table.ts';
import { wrapHelp } from './wrap-help.ts';

const HELP = `Kedge: a coding assistant for the folder you are in.

Usage
  kedge ask "…"            answer a question; cannot change files
  kedge plan "…"           propose a plan, and run it once you confirm it
  kedge agent "…"          work on a task, and ask before each change
  kedge, kedge chat        begin a conversation, or continue one with kedge chat --continue [ID]
  kedge --continue [ID]    continue the last session, or the session ID: a paused run, an open question, a plan
  kedge init               write an AGENTS.md for this folder, in Agent mode
  kedge remember "…"       remember this in later sessions of this folder, or with --all in all folders;
                           without words, show the memory
  kedge undo [RUN]         undo the changes of the last run, or of the run with this id
  kedge worktree           list the runs whose changes wait in a worktree; kedge worktree apply, kedge worktree drop
  kedge grants             list your permanent permissions in this folder; grants clear [N] removes all, or number N
  kedge skills             list the prompt files and skills of yours and of this folder
  kedge hooks              list your hooks and those of this folder
  kedge browser setup      prepare the browser tool; see KEDGE_BROWSER
  kedge sessions           list this folder's sessions, or all with --all; also: search, rename, pin, delete, restore,
                           --usage
  kedge fork SESSION       start a session with the messages of another session
  kedge export SESSION     print a session as Markdown or, with --format json, as its log; --redact to share it
  kedge import FILE        add a session that was exported
  kedge replay SESSION     show a session again
  kedge doctor             check the stored sessions and repair them
  kedge insights           show statistics about the runs of this folder; --days N, --all, --json,
                           --csv
  kedge docs add NAME …    index documents; also: docs ask, summarize, worksheet, compare, search, update, list, show,
                           remove
  kedge acp                be the agent of another editor, over the Agent Client Protocol
  kedge mcp                let other assistants ask about this folder, as an MCP server that only reads
  kedge models             list the models that can be chosen
  kedge agents             list the agents, which narrow a run; also: show, accept, import, update, remove, export
  kedge keys set PROVIDER  store a key, read from standard input, in the keychain; also: keys list, keys delete PROVIDER
  kedge completion SHELL   print the completion for bash, zsh or fish
  kedge config             show and change your settings: list, get NAME, set NAME VALUE, unset NAME, edit

  Each command has its own --help.

  A - in the request stands for standard input. @src/main.ts or @src/main.ts:10-20 sends this file or these lines
  with it; write \\@ for a literal @.

Options
${optionLines()}

Settings
  kedge config list shows the settings of your configuration file. Options and the environment take precedence.

Environment
  OPENAI_API_KEY, OPENAI_BASE_URL     the key and address of a provider, by its name
  KEDGE_API_KEY, KEDGE_BASE_URL       the key and address of the provider in use; these take precedence
                                      (if no key is set, the key in the keychain is used)
  KEDGE_HEADERS                       additional headers: {"x-team": "tides", "x-api-key": "\${key}"} (\${key}: the key),
                                      or @FILE that contains such an object
  KEDGE_MODEL                         the model to use without --model
  KEDGE_EMBEDDING_MODEL               the model for embeddings of documents, such as ollama/nomic-embed-text
  KEDGE_HOME                          the folder in which sessions are stored
  KEDGE_SERVER_TIMEOUT                seconds without data before a request fails (default: 120; local servers: 290)
  KEDGE_DAY_BUDGET                    limits for all runs of one day, such as {"usd": 5, "tokens": 2000000};
                                      also runs, turns, calls and minutes
  KEDGE_PASS_ENV                      variables to pass to commands although they look like keys, such as GITHUB_TOKEN
  KEDGE_WITHHOLD_ENV                  additional variables to withhold from commands, such as AWS_*
  KEDGE_CONTEXT_TOKENS                use at most this many tokens of a model's context window (default: all)
  KEDGE_MEMORY_TOKENS                 send at most this many tokens of the memory (default: 800; 0 turns it off)
  KEDGE_LESSONS                       false: do not propose what to remember after a run (default: true)
  KEDGE_DELEGATION                    let a run give tasks to runs that only read, this deep (0 to 3; default: 0)
  KEDGE_BROWSER                       let Agent mode use a browser: on, or the path of Chrome, Chromium or Edge (default: off);
                                      kedge browser setup prepares it
  KEDGE_MCP_TOKEN                     the token that clients of kedge mcp --http must send
  KEDGE_OTLP_ENDPOINT                 an OpenTelemetry collector to which each run is sent as a trace, without the
                                      content of messages: http://localhost:4318
  NO_COLOR                            turn off colors

Exit codes
  0 answered            1 failed or refused    2 incorrect usage
  3 paused at a limit   4 plan not confirmed   130 stopped

Examples
  kedge ask "where is the port set?"
  git diff | kedge ask "what could break here?" -
  kedge plan "rename tideLevel to waterLevel in src"
  kedge agent --yes "make the tests in src/tide.test.ts pass"
  kedge --continue --run-plan
`;

const FOLDER = '  --folder DIR             the folder (default: the current folder)\n';
const JSON_LINES = '  --json                   print lines of JSON\n';

/** The help on the commands that run no model. Those on sessions are in sessions/help.ts. */
const TOPICS: Readonly<Record<string, string>> = {
  chat: `Usage
  kedge                                  begin a conversation in this folder
  kedge chat WORDS                       …with this message
  kedge chat --continue [ID]             continue the last session, or the session ID; also: --session ID

  Enter sends a message; Alt+Enter, or a backslash at the end, begins a new line. While a run works, a message is queued
  and is sent with the model's next turn. Escape pauses the run, Ctrl+C stops it, Shift+Tab changes the mode, and Tab
  completes @files and commands. /help lists the commands and keys.

Options
  --plain                  write only lines, and read lines, for screen readers and simple terminals
  -m, --model, --base-url, -y, --yes, --allow, --deny, --policy, --mcp-config, --require-plan, --max-…, --price,
  --surroundings           as for kedge agent; see kedge --help
`,
  config: `Usage
  kedge config list                      list all settings, their values and where each value comes from
  kedge config get NAME                  print the value of a setting
  kedge config set NAME VALUE            change a setting: kedge config set model openai/gpt-6.1-sol
  kedge config unset NAME                remove a setting from the file
  kedge config edit                      open the file in $VISUAL or $EDITOR, and check it afterwards
  kedge config path                      print the path of the file
  kedge config schema                    print the JSON Schema of the file

  A name can contain a dot: kedge config set baseUrls.ollama http://127.0.0.1:11434. Options and the environment take
  precedence over the file. Keys are not stored in the file, but with kedge keys set PROVIDER.

Options
  --json                   print list and get as JSON
`,
  keys: `Usage
  kedge keys set PROVIDER                store a key in the keychain of this computer; it is read from standard input
  kedge keys list                        list the providers that have a key in the keychain
  kedge keys delete PROVIDER             delete a key

  A key in the environment, such as OPENAI_API_KEY, takes precedence.
`,
  undo: `Usage
  kedge undo                             undo the changes of the last run that changed files
  kedge undo RUN                         undo the changes of the run whose id begins with RUN

  Lines that you have changed since are kept: they are merged, or the file is left as it is.

Options
${FOLDER}${JSON_LINES}`,
  worktree: `Usage
  kedge agent --worktree "…"             let a run work in a Git worktree; your files stay as they are
  kedge worktree                         list the sessions whose changes wait in a worktree
  kedge worktree apply [SESSION]         review the changes and apply them to your files
  kedge worktree drop [SESSION]          delete the worktree with its changes

  Lines that you have changed since are kept: they are merged, or your lines stay and the file is named. What was applied
  can be undone with kedge undo.

Options
${FOLDER}${JSON_LINES}`,
  remember: `Usage
  kedge remember WORDS                   remember the words in later sessions of this folder
  kedge remember --all WORDS             …of all folders
  kedge remember                         show the memory and where it is stored

Options
${FOLDER}`,
  grants: `Usage
  kedge grants                           list your permanent permissions in this folder
  kedge grants clear                     remove all of them
  kedge grants clear N                   remove the permission with this number

Options
${FOLDER}`,
  agents: `Usage
  kedge agents                           list the agents, where they come from, and what is wrong with their files
  kedge agents show NAME                 show what an agent does, what it may use, and its prompt
  kedge agents accept NAME               …and let this agent of the workspace run until its file changes

  An agent narrows a run: kedge ask --agent reviewer "review my changes". It never allows anything. Agents of the
  workspace are in .kedge/agents/*.md, .github/agents/*.agent.md and .claude/agents/*.md. They run after you have seen
  them.

  kedge agents export NAME               print an agent with its prompts and
                                         skills as a package, without keys
  kedge agents export NAME prompt:A skill:B -o FOLDER
                                         …with these, too, as a folder; or as one
                                         file: -o NAME.kedge.json
  kedge agents import SOURCE             show a package; store it if you agree
  kedge agents update [NAME]             read packages again from their sources,
                                         and show what has changed before that
  kedge agents remove NAME               delete an installed package

  SOURCE is a file, a folder, or a Git address: https://…, ssh://… or
  file://…, with #ref:path for a branch, tag or commit, and for a folder in it.
  A package never installs hooks, MCP servers or permissions.

Options
  -y, --yes                store or delete without a question; what a package
                           contains is printed all the same
  -o, --output PATH        with export: the file or folder to write
${FOLDER}  --json                   print the agents and packages as JSON
`,
  skills: `Usage
  kedge skills                           list prompt files and skills, where they come from, and what cannot be used

  A prompt file is Markdown: .kedge/prompts/NAME.md or .github/prompts/NAME.prompt.md of this folder, or prompts/NAME.md
  beside your configuration file (kedge config path). It is sent with /NAME in a conversation, or with
  kedge ask "/NAME words". It can contain \${selection}, \${file} and \${input:name:what to enter}.
  A skill is a folder with a SKILL.md: in .kedge/skills, .claude/skills or .github/skills, or in skills beside your
  configuration file. Models get its name and description, and read the rest when they need it.

Options
${FOLDER}${JSON_LINES}`,
  browser: `Usage
  kedge browser                          show whether the browser tool is set up, on, and which browser it uses
  kedge browser setup                    get the library that controls the browser, with your npm; -y does not ask

  With KEDGE_BROWSER=on (or kedge config set browser on), Agent mode can open pages of this computer and of hosts that you
  allow, click and type in them, read their console, and take screenshots. It uses your Chrome, Chromium or Edge with an
  empty profile, which is removed afterwards.
`,
  hooks: `Usage
  kedge hooks                            list your hooks, and those of this folder
  kedge hooks path                       print the path of your file
  kedge hooks schema                     print the JSON Schema of the files

  A hook is a command that runs before or after a tool call, before a prompt, when Kedge asks you, or at the end of a
  run:
    {"hooks": [{"event": "before_tool", "tools": ["command"],
      "command": "sh ~/check.sh", "required": true}]}
  It gets the event as JSON on standard input. Exit code 2 denies, with standard error as the reason. It can also print
  JSON: {"decision": "deny" or "ask", "reason": "…", "context": "…", "notify": "…"}. It cannot allow anything.
  A failed hook is reported; if it is required, the call or prompt is denied. Hooks of a folder (.kedge/hooks.json) run
  only in Agent mode, after you have accepted them.

Options
${FOLDER}`,
  completion: `Usage
  kedge completion SHELL   print the completion for bash, zsh or fish

  For bash, add this line to ~/.bashrc:
    source <(kedge completion bash)
  For zsh, add this line to ~/.zshrc, below compinit:
    source <(kedge completion zsh)
  For fish, run this line once:
    kedge completion fish > ~/.config/fish/completions/kedge.fish
`,
  acp: `Usage
  kedge acp                speak the Agent Client Protocol on standard input and output

  Editors start this command themselves. Each session works in the folder that the editor names. It is stored like the
  sessions of the terminal: kedge sessions lists it, and kedge --continue continues it.

  The editor chooses the mode (ask, plan or agent) and the model. Its unsaved files are read and edited in the editor.
  MCP servers of the editor are added to those of --mcp-config. Commands: /continue, /run, /agent, /read, /compact,
  /init, /remember.

Options
  -m, --model, --base-url, -y, --yes, --allow, --deny, --policy, --mcp-config, --require-plan, --max-…, --price,
  --surroundings           as for kedge agent; see kedge --help

Examples of settings
  Zed, in its settings:
    "agent_servers":
      {"Kedge": {"type": "custom", "command": "kedge", "args": ["acp"]}}
  JetBrains, in ~/.jetbrains/acp.json:
    {"agent_servers": {"Kedge": {"command": "kedge", "args": ["acp"]}}}
`,
  mcp: `Usage
  kedge mcp                speak the Model Context Protocol on standard input and output
  kedge mcp --http PORT    serve http://127.0.0.1:PORT/mcp instead; 0 chooses a free port

  Other assistants start this command themselves. It offers the tool ask_workspace: Kedge searches and reads in Ask mode,
  with at most 10 tool calls, and returns a short answer with the places that it has opened. Nothing can be changed, and
  what needs an approval is denied. Each question is a session: kedge sessions lists it. If there are collections of
  documents (kedge docs), the tool ask_documents answers from them alone, in the same way.

Options
  -c, --collections NAMES  the collections that can be asked, such as handbook,manuals (default: all)
  --no-global              leave out global collections
  --raw                    also offer the tools read_file, list_directory, find_files and search_text
  --folder, -m, --model, --base-url, --allow, --deny, --policy, --max-…, --price
                           as for kedge ask; see kedge --help

  Over HTTP, clients must send the token in KEDGE_MCP_TOKEN, or the random one that is printed, as
  "Authorization: Bearer TOKEN".

Example of a setting
  {"mcpServers": {"kedge": {"command": "kedge",
    "args": ["mcp", "--model", "openai/gpt-6.1-sol"]}}}
`,
  models: `Usage
  kedge models                           list the providers with a model for each, what they need, and the test results of
                                         local models
`,
};

/** Returns the help on a command, or the general help. */
export function helpOn(topic = ''): string {
  const topics: Readonly<Record<string, string>> = { ...SESSION_HELP, ...TOPICS };
  return wrapHelp((Object.hasOwn(topics, topic) && topics[topic]) || HELP);
}
