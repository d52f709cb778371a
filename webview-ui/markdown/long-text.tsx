import { memo } from '../memo-component.ts';

const PART_LENGTH = 4000;

/** Renders text in parts that end at a line end, so that streaming more text lays out only the last part again. */
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
  const complete: string[] = [];
  let start = 0;
  while (code.length - start > PART_LENGTH) {
    const end = code.indexOf('\n', start + PART_LENGTH) + 1;
    if (end === 0) break;
    complete.push(code.slice(start, end));
    start = end;
  }
  return [...complete, code.slice(start)];
}
