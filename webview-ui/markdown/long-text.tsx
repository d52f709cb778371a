import { memo } from '../memo.ts';

const PART = 4000;

/** Text in parts that end with a line, so that what is streamed to its end does not lay out all of it again. */
export function LongText({ text }: { text: string }) {
  return (
    <>
      {parts(text).map((part, index) => (
        <Part key={index} text={part} />
      ))}
    </>
  );
}

const Part = memo(({ text }: { text: string }) => <span class="part">{text}</span>);

function parts(code: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (code.length - start > PART) {
    const end = code.indexOf('\n', start + PART) + 1;
    if (end === 0) break;
    found.push(code.slice(start, end));
    start = end;
  }
  return [...found, code.slice(start)];
}
