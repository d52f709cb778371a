export const HELP = `Kedge: a coding assistant for the folder you are in.

Usage
  kedge ask "…"            answer a question; cannot change files
  kedge plan "…"           propose a plan, and run it once you confirm it
  kedge agent "…"          work on a task, and ask before each change
  kedge --continue [ID]    continue the last session, or the session ID: a paused run, an open question, a plan
  kedge init               write an AGENTS.md for this folder, in Agent mode
  kedge remember "…"       remember this in later sessions of this folder, or with --all in all folders;
                           without words, show the memory
  kedge undo [RUN]         undo the changes of the last run, or of the run with this id
  kedge grants [clear [N]] list your permanent permissions in this folder, or remove all of them or number N
  kedge sessions           list this folder's sessions, or all with --all; also: search, rename, pin, delete, restore,
                           --usage
  kedge fork SESSION       start a session that begins with the messages of another one
  kedge export SESSION     print a session as Markdown or, with --format json, as its log; --redact to share it
  kedge import FILE        add a session that was exported
  kedge replay SESSION     show a session again
  kedge doctor             check the stored sessions and repair them
  kedge insights           show what the runs of this folder did, used and waited for; --days N, --all, --json,
                           --csv
                           (each of these commands has its own --help)
  kedge mcp                let other assistants ask about this folder (an MCP server on standard input and output);
                           it only reads. --raw: also offer the reading tools; --http PORT: serve on this computer
                           over HTTP instead, with the token in KEDGE_MCP_TOKEN or a random one
  kedge models             list the models that can be chosen
  kedge keys set PROVIDER  store a key, read from standard input, in the keychain; also: keys list, keys delete PROVIDER

  A - in the request stands for standard input. @src/main.ts or @src/main.ts:10-20 sends this file or these lines
  with it; write \\@ for a literal @.

Options
  --folder DIR             work in this folder; repeat it for several (default: the current folder)
  -m, --model P/MODEL      for example openai/gpt-6.1-sol (default: $KEDGE_MODEL, else offline)
  --base-url URL           the address of the model's server
  -y, --yes                do not ask before edits in the folder; deletions, protected files, and
                           files that the confirmed plan does not name still need approval
  --allow RULE, --deny RULE
                           path:src/**, command:"npm test", host:example.com, tool:create_file, server:github or
                           mcp:github/create_issue; repeat it for several. Dangerous actions still need approval
  --policy FILE            read rules from a file: {"rules": [{"effect": "deny", "path": "db/**"}]}; the folder’s own
                           .kedge/policy.json can only deny or ask
  --mcp-config FILE        MCP servers whose tools agent may use: {"mcpServers": {"name": {"command": "…"}}};
                           if a server over HTTP requires a sign-in, the address for your browser is printed
  --run-plan               run the proposed plan without asking
  --require-plan           make agent propose a plan first, and change nothing until you confirm it
  --bell                   ring the bell of the terminal when the run waits for you, has failed or is done
  -o, --output FILE        write the plan to a Markdown file
  --max-turns N, --max-calls N, --max-minutes N, --max-tokens N, --max-usd N
                           pause the run at this limit; kedge --continue continues it with the same amount again
  --price IN/OUT           the price of the model in US dollars per million tokens, if it is unknown: 0.5/2
  --surroundings LIST      facts that are sent to the model: none, or a list (default: system,date,folders,git)
  --continue [ID]          with a request: add the request to that session
  --json                   print every event as a line of JSON
  -h, --help    -v, --version

Environment
  OPENAI_API_KEY, OPENAI_BASE_URL     the key and address of a provider, by its name
  KEDGE_API_KEY, KEDGE_BASE_URL       the key and address of the provider in use; these take precedence
                                      (if no key is set, the key in the keychain is used)
  KEDGE_HEADERS                       additional headers: {"x-team": "tides", "x-api-key": "\${key}"} (\${key}: the key),
                                      or @FILE that contains such an object
  KEDGE_MODEL                         the model to use without --model
  KEDGE_HOME                          the folder in which sessions are stored
  KEDGE_SERVER_TIMEOUT                seconds without data before a request fails (default: 120; local servers: 290)
  KEDGE_DAY_BUDGET                    limits for all runs of one day, such as {"usd": 5, "tokens": 2000000};
                                      also runs, turns, calls and minutes
  KEDGE_PASS_ENV                      variables to pass to commands although they look like keys, such as GITHUB_TOKEN
  KEDGE_WITHHOLD_ENV                  additional variables to withhold from commands, such as AWS_*
  KEDGE_CONTEXT_TOKENS                how many tokens of a model's context window are used at most (default: all)
  KEDGE_MEMORY_TOKENS                 how many tokens of the memory are sent to the model (default: 800; 0 turns it off)
  KEDGE_MCP_TOKEN                     the token that clients of kedge mcp --http must send
  KEDGE_OTLP_ENDPOINT                 an OpenTelemetry collector to which each run is sent as a trace, without the
                                      content of messages: http://localhost:4318
  NO_COLOR                            turn off colors

Exit codes
  0 answered   1 failed or refused   2 incorrect usage   3 paused at a limit   4 plan not confirmed   130 stopped

Examples
  kedge ask "where is the port set?"
  git diff | kedge ask "what could break here?" -
  kedge plan "rename tideLevel to waterLevel in src"
  kedge agent --yes "make the tests in src/tide.test.ts pass"
  kedge --continue --run-plan
`;
