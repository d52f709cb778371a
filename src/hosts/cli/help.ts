export const HELP = `Kedge: a coding assistant for the folder you are in.

Usage
  kedge ask "…"            answers a question; cannot change anything
  kedge plan "…"           proposes a plan, and carries it out once you confirm it
  kedge agent "…"          does it, and asks before each change
  kedge --continue [ID]    goes on with the last session, or that one: a paused run, an open question, a plan
  kedge undo [RUN]         takes back what the last run changed
  kedge sessions           lists this folder's sessions
  kedge models             lists the models that can be chosen

  A - in the request stands for what comes in on stdin.

Options
  --folder DIR             work in this folder (repeat it for several; default: the current one)
  -m, --model P/MODEL      for example openai/gpt-6.1-sol (default: $KEDGE_MODEL, else offline)
  --base-url URL           where the model's server is
  -y, --yes                do not ask before edits in the folder; deletions, protected places, and
                           what the confirmed plan does not name, still ask
  --run-plan               carry out the proposed plan without asking
  --max-turns N            pause after N turns of the model
  --continue [ID]          with a request: add it to that session
  --json                   print every event as a line of JSON
  -h, --help    -v, --version

Environment
  OPENAI_API_KEY, OPENAI_BASE_URL     key and address of a provider, by its name
  KEDGE_API_KEY, KEDGE_BASE_URL       the same for whichever is used; these win
  KEDGE_MODEL                         the model when --model is not given
  KEDGE_HOME                          where sessions are kept
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
