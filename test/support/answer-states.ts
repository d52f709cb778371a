/** Panel states that show what an answer can contain. */
import type { ToPanel } from '../../src/protocol/panel.ts';
import { DOT, host, type NamedState, Script, session } from './panel-states.ts';

const CODE = `Add the harmonics in \`tideAt()\`, which \`Station.constituents\` names[^1]:

\`\`\`ts src/tide.ts
// The mean level is part of the station.
export function tideAt(station: Station, at: Date): number {
  const hours = (at.getTime() - EPOCH) / 3_600_000;
  return station.mean + sum(station.constituents, \`\${hours} h\`); // in metres
}
\`\`\`

\`\`\`python
@dataclass
class Tide:
    """A height above chart datum."""
    height: float = 0.0
    def is_high(self) -> bool:
        return self.height > 3.2 and not None
\`\`\`

\`\`\`sh
curl -s "https://example.com/$STATION.json" | jq '.heights[0]' > out.json
\`\`\`

\`\`\`diff
-const EPOCH = 0;
+const EPOCH = Date.UTC(2020, 0, 1);
\`\`\`

\`\`\`json
{ "station": "Dover", "mean": 3.67, "open": true }
\`\`\`

[^1]: As the almanac has it, see \`src/tide.ts:12\`.`;

const MATH = String.raw`The height is $h(t) = h_0 + \sum_i a_i \cos(\omega_i t - \varphi_i)$, and it costs $5, not 6$ or $HOME.

$$
\bar h = \frac{1}{T} \int_0^T h(t)\,\mathrm{d}t = \begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix} \cdot \sqrt{2}
$$

So \(x^2 + y^2\) stays, and \[ e^{i\pi} + 1 = 0 \] is no surprise. A mistake stays text: $\frac{1$.`;

const DIAGRAMS = `It goes like this:

\`\`\`mermaid
flowchart TD
  A[Read stations] --> B{Known?}
  B -->|yes| C[Add harmonics]
  B -->|no| D[Ask the user]
  C --> E((Done))
\`\`\`

\`\`\`mermaid
sequenceDiagram
  Panel->>Host: prompt
  Host-->>Panel: events
  Note over Host: judged by the policy
\`\`\`

\`\`\`mermaid
pie title Pets
  "Dogs" : 3
\`\`\``;

const TABLE = `| Option | What it does | Where it is read | Default |
|---|---|---|---|
| \`kedge.budget.runsPerMinute\` | How many runs may start within one minute, in all windows together | \`src/hosts/vscode/settings/settings.ts:64\` | 30 |
| \`round\` | Rounds the height to centimetres | \`formatHeight()\` | no |

![The chart of the tide](docs/tide.png) and ![one from the web](https://example.com/chart.png) and ![no such](docs/none.png)`;

function answered(text: string): ToPanel[] {
  return [host('ask'), session(new Script().run('ask', 'How is the tide computed?').turn().says(text).finishes(), false)];
}

/** This is a function, because the panel states import this module and this module imports their helpers. */
export const answerStates = (): Record<string, NamedState> => ({
  'answer-code': { messages: answered(CODE), waitFor: '.code-keyword' },
  'answer-math': { messages: answered(MATH), waitFor: 'math' },
  'answer-diagrams': { messages: answered(DIAGRAMS), waitFor: '.diagram img' },
  'answer-table': {
    messages: [
      ...answered(TABLE),
      { type: 'image', path: 'docs/tide.png', url: `data:image/png;base64,${DOT}` },
      { type: 'image', path: 'docs/none.png', problem: 'docs/none.png does not exist.' },
    ],
  },
});
