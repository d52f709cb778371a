import type { Cost, Usage } from '../../../src/core/model/messages.ts';
import type { Receipt as Account } from '../../../src/core/session/events.ts';
import { proofOf, receiptMarkdown, receiptRows, receiptSentences } from '../../../src/core/view/receipt.ts';
import { CopyButton } from '../copy-button.tsx';
import { Expandable } from '../expandable.tsx';

type Props = { receipt: Account; usage: Usage; cost: Cost | undefined };

/** A summary of the run's tool calls and changes. When expanded, it shows the details. */
export function Receipt({ receipt, usage, cost }: Props) {
  const spent = { usage, ...(cost && { cost }) };
  const proof = proofOf(receipt);
  if (receipt.calls === 0 && !proof) return null;
  return (
    <Expandable
      class="receipt"
      summary={
        <span class="dim grow">
          <span class="sr-only">Receipt: </span>
          {receiptSentences(receipt)}
        </span>
      }
      aside={<CopyButton text={() => receiptMarkdown(receipt, spent)} label="Copy the receipt as Markdown" />}
    >
      {() => (
        <>
          {proof && <p>{proof}</p>}
          <dl>
            {receiptRows(receipt, spent).map(({ title, values, more }) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  {values.map((value) => (
                    <span key={value}>{value}</span>
                  ))}
                  {more > 0 && <span class="dim">and {more} more</span>}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Expandable>
  );
}
