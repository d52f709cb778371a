import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { CodeBlock } from './code-block.tsx';

/** Longer diagrams are not drawn, because drawing them would block the browser for too long. */
const MAX = 20_000;
const WIDE_PX = 700;

type Drawn = { source: string } & ({ url: string; width: number } | { problem: string });

/**
 * A Mermaid diagram. It is shown as an image, in which nothing runs and from which nothing is loaded. Its source is shown until it is drawn,
 * if it cannot be drawn, and if the user wants to see it.
 */
export function Diagram({ source }: { source: string }) {
  const [drawn, setDrawn] = useState<Drawn>();
  const [showsSource, setShowsSource] = useState(false);
  const theme = useTheme();
  useEffect(() => {
    let isCurrent = true;
    void drawDiagram(source).then((next) => isCurrent && setDrawn(next));
    return () => {
      isCurrent = false;
    };
  }, [source, theme]);
  const image = drawn?.source === source && 'url' in drawn ? drawn : undefined;
  if (!image) {
    return (
      <>
        <CodeBlock code={source} fence="mermaid" />
        {drawn && 'problem' in drawn && <p class="dim">The diagram cannot be drawn: {drawn.problem}</p>}
      </>
    );
  }
  return (
    <div class="code-block diagram">
      <div class="code-head">
        <span class="grow">Diagram</span>
        <Button kind="link" onClick={() => setShowsSource(!showsSource)}>
          {showsSource ? 'Show diagram' : 'Show source'}
        </Button>
        {!showsSource && <CopyButton text={() => source} label="Copy source" />}
      </div>
      {showsSource ? (
        <CodeBlock code={source} fence="mermaid" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
        <section class="picture" aria-label="Diagram" tabIndex={0}>
          <img src={image.url} width={image.width} class={image.width > WIDE_PX ? 'wide' : ''} alt={altText(source)} />
        </section>
      )}
    </div>
  );
}

async function drawDiagram(source: string): Promise<Drawn> {
  if (source.length > MAX) return { source, problem: 'it is too long.' };
  try {
    const { draw } = await import('../lazy/diagram.ts');
    const svg = await draw(source);
    const width = Number(/viewBox="[-\d.]+ [-\d.]+ ([\d.]+)/.exec(svg)?.[1] ?? 300);
    return { source, width: Math.ceil(width), url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { source, problem: text.split('\n', 1)[0] || 'its source has a mistake.' };
  }
}

/** Returns the title of the diagram, or its first line, which names its kind. */
function altText(source: string): string {
  const title = /^\s*(?:accTitle:|title:?)\s*(.+)$/m.exec(source)?.[1];
  return title ? `Diagram: ${title.trim()}` : `Diagram (${source.trim().split(/\s/, 1)[0]})`;
}

/** Returns a number that changes with VS Code's color theme. */
function useTheme(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setCount((before) => before + 1));
    observer.observe(document.body, { attributes: true, attributeFilter: ['data-vscode-theme-id', 'data-vscode-theme-kind'] });
    return () => observer.disconnect();
  }, []);
  return count;
}
