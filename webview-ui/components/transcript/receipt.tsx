import { useState } from 'preact/hooks';
import type { Cost, Usage } from '../../../src/core/model/messages.ts';
import type { Receipt as Account } from '../../../src/core/session/events.ts';
import { proofOf, receiptLine, receiptMarkdown, receiptRows } from '../../../src/core/view/receipt.ts';
import { IconButton } from '../button.tsx';
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
          {receiptLine(receipt)}
        </span>
      }
      aside={<Copy text={receiptMarkdown(receipt, spent)} />}
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

function Copy({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? 'Copied' : 'Copy the receipt as Markdown'} onClick={copy} />;
}
