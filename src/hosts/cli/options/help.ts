export const HELP = `Kedge: a coding assistant for the folder you are in.

Usage
  kedge ask "…"            answers a question; cannot change anything
  kedge plan "…"           proposes a plan, and carries it out once you confirm it
  kedge agent "…"          does it, and asks before each change
  kedge --continue [ID]    goes on with the last session, or that one: a paused run, an open question, a plan
  kedge undo [RUN]         takes back what the last run changed
  kedge grants [clear [N]] lists what you allowed for good in this folder, or takes it back
  kedge sessions           lists this folder's sessions
  kedge models             lists the models that can be chosen
  kedge keys set PROVIDER  keeps a key in the keychain, read from stdin; also: keys list, keys delete PROVIDER

  A - in the request stands for what comes in on stdin.

Options
  --folder DIR             work in this folder (repeat it for several; default: the current one)
  -m, --model P/MODEL      for example openai/gpt-6.1-sol (default: $KEDGE_MODEL, else offline)
  --base-url URL           where the model's server is
  -y, --yes                do not ask before edits in the folder; deletions, protected places, and
                           what the confirmed plan does not name, still ask
  --allow RULE, --deny RULE
                           path:src/**, command:"npm test", host:example.com, tool:create_file, server:github or
                           mcp:github/create_issue (repeat it for several); what is dangerous asks all the same
  --policy FILE            rules from a file: {"rules": [{"effect": "deny", "path": "db/**"}]}; the folder’s own
                           .kedge/policy.json can only deny and ask
  --mcp-config FILE        MCP servers whose tools agent may use: {"mcpServers": {"name": {"command": "…"}}}
  --run-plan               carry out the proposed plan without asking
  --require-plan           agent proposes a plan too, and changes nothing before it is confirmed
  -o, --output FILE        write the plan to a Markdown file
  --max-turns N, --max-calls N, --max-minutes N, --max-tokens N, --max-usd N
                           pause the run there; kedge --continue goes on with as much again
  --price IN/OUT           what the model costs, in US dollars for a million tokens, where Kedge does not know: 0.5/2
  --continue [ID]          with a request: add it to that session
  --json                   print every event as a line of JSON
  -h, --help    -v, --version

Environment
  OPENAI_API_KEY, OPENAI_BASE_URL     key and address of a provider, by its name
  KEDGE_API_KEY, KEDGE_BASE_URL       the same for whichever is used; these win
                                      (without a key here, the one in the keychain is used)
  KEDGE_HEADERS                       headers for it: {"x-team": "tides", "x-api-key": "\${key}"} (\${key}: the key),
                                      or @FILE with such an object
  KEDGE_MODEL                         the model when --model is not given
  KEDGE_HOME                          where sessions are kept
  KEDGE_SERVER_TIMEOUT                seconds that a model's server may be silent (120, local servers 290)
  KEDGE_DAY_BUDGET                    what all runs of a day may use, such as {"usd": 5, "tokens": 2000000};
                                      also runs, turns, calls and minutes
  KEDGE_PASS_ENV                      variables that commands get although they look like keys, such as GITHUB_TOKEN
  KEDGE_WITHHOLD_ENV                  more variables that commands do not get, such as AWS_*
  NO_COLOR                            no colours

Exit codes
  0 answered   1 failed or refused   2 wrong usage   3 paused at a limit   4 plan not confirmed yet   130 stopped

Examples
  kedge ask "where is the port set?"
  git diff | kedge ask "what could break here?" -
  kedge plan "rename tideLevel to waterLevel in src"
  kedge agent --yes "make the tests in src/tide.test.ts pass"
  kedge --continue --run-plan
`;
