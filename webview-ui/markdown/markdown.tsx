import type { MarkedToken, Token, Tokens } from 'marked';
import type { ComponentChild } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { post } from '../host.ts';
import { memo } from '../memo-component.ts';
import { lex, NOTHING } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { Diagram } from './diagram.tsx';
import type { AnyToken } from './extensions.ts';
import { Footnote, FootnoteRef } from './footnote.tsx';
import { Formula } from './formula.tsx';
import { LongText } from './long-text.tsx';
import { isCitation, isWebLink, pieces, type Reference, referenceOf, symbolOf, workspaceImageOf } from './references.ts';
import { WorkspaceImage } from './workspace-image.tsx';

/** Renders Markdown as nodes and never as HTML, so that HTML in a model's text stays text. */
export function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  const lexed = useRef(NOTHING);
  lexed.current = lex(text, !streaming, lexed.current);
  const { chunks, recent, open } = lexed.current;
  const last = [...recent, ...open];
  return (
    <div class="markdown">
      {[...chunks, last].map((tokens, index) => (
        <Chunk key={index} tokens={tokens} open={tokens === last} growing={streaming ? open[0] : undefined} />
      ))}
    </div>
  );
}

/** `growing` is the first block that can still change. */
type ChunkProps = { tokens: readonly MarkedToken[]; open: boolean; growing: MarkedToken | undefined };

const Chunk = memo(({ tokens, open, growing }: ChunkProps) => {
  const from = growing ? tokens.indexOf(growing) : -1;
  return (
    <div class={open ? 'chunk' : 'chunk full'}>
      {tokens.map((token, index) => (
        <Block key={index} token={token} isOpen={from >= 0 && index >= from} />
      ))}
    </div>
  );
});

const Block = memo(({ token, isOpen }: { token: MarkedToken; isOpen: boolean }) => <>{block(token, isOpen)}</>);

/** `isOpen` means that more text of the block may be received. */
function block(token: AnyToken, isOpen = false): ComponentChild {
  switch (token.type) {
    case 'heading': {
      // The panel uses h2 and h3, so the headings of an answer start at h4.
      const Heading = `h${Math.min(token.depth + 3, 6)}` as 'h4';
      return <Heading class={`depth-${token.depth}`}>{inline(token.tokens)}</Heading>;
    }
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'code':
      return token.lang?.trim().toLowerCase() === 'mermaid' && !isOpen ? (
        <Diagram source={token.text} />
      ) : (
        <CodeBlock code={token.text} fence={token.lang ?? ''} isOpen={isOpen} />
      );
    case 'math':
      return token.isOpen ? <p class="as-text">{token.text}</p> : <Formula source={token.text} isBlock />;
    case 'footnote':
      return <Footnote id={token.id}>{inline(token.tokens)}</Footnote>;
    case 'blockquote':
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case 'list':
      return list(token);
    case 'table':
      return table(token);
    case 'hr':
      return <hr />;
    case 'html':
      return (
        <p class="as-text">
          <LongText text={token.text.trimEnd()} />
        </p>
      );
    case 'text':
      return token.tokens ? inline(token.tokens) : <p>{linked(token.text)}</p>;
    case 'space':
    case 'def':
    case 'checkbox':
      return null;
    default:
      return <p>{inline([token as Token])}</p>;
  }
}

function blocks(tokens: Token[]): ComponentChild {
  return tokens.map((token) => block(token as AnyToken));
}

function list(token: Tokens.List): ComponentChild {
  const items = token.items.map((item) => (
    <li class={item.task ? 'task' : undefined}>
      {item.task && <input type="checkbox" disabled checked={item.checked} aria-label={item.checked ? 'done' : 'to do'} />}
      {blocks(item.tokens)}
    </li>
  ));
  return token.ordered ? <ol start={token.start === '' ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table): ComponentChild {
  const cell = (each: Tokens.TableCell) => {
    const Cell = each.header ? 'th' : 'td';
    return <Cell class={each.align ? `align-${each.align}` : undefined}>{inline(each.tokens)}</Cell>;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard
    <section class="table" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>{token.header.map(cell)}</tr>
        </thead>
        <tbody>
          {token.rows.map((row) => (
            <tr>{row.map(cell)}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** `linking` is false inside a link, because links cannot be nested. */
function inline(tokens: Token[], linking = true): ComponentChild {
  return (tokens as AnyToken[]).map((token) => {
    switch (token.type) {
      case 'strong':
        return <strong>{inline(token.tokens, linking)}</strong>;
      case 'em':
        return <em>{inline(token.tokens, linking)}</em>;
      case 'del':
        return <del>{inline(token.tokens, linking)}</del>;
      case 'codespan': {
        const code = <code>{token.text}</code>;
        if (!linking) return code;
        if (isCitation(token.text)) return <Citation text={token.text}>{code}</Citation>;
        const reference = referenceOf(token.text);
        if (reference) return <FileReference {...reference}>{code}</FileReference>;
        const symbol = symbolOf(token.text);
        return symbol ? <SymbolReference name={symbol}>{code}</SymbolReference> : code;
      }
      case 'br':
        return <br />;
      case 'link':
        return link(token);
      case 'image':
        return image(token);
      case 'math':
        return <Formula source={token.text} isBlock={token.isBlock} />;
      case 'citation':
        return linking ? <Citation text={token.raw}>{token.raw}</Citation> : token.raw;
      case 'footnote_ref':
        return <FootnoteRef id={token.id} />;
      case 'text':
        return token.tokens ? inline(token.tokens, linking) : linked(token.text, linking);
      case 'escape':
        return token.text;
      case 'checkbox':
        return null;
      default:
        return token.raw;
    }
  });
}

function image({ href, text }: Tokens.Image): ComponentChild {
  const path = workspaceImageOf(href);
  return path === undefined ? `${text || 'Image'} (${href})` : <WorkspaceImage path={path} alt={text} />;
}

function linked(text: string, linking = true): ComponentChild {
  const plain = decodeEntities(text);
  return linking
    ? pieces(plain).map((piece) => (typeof piece === 'string' ? piece : <FileReference {...piece}>{piece.text}</FileReference>))
    : plain;
}

const ENTITY: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: '\u00a0' };

/** Decodes character references, which the lexer leaves to an HTML renderer. */
function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITY[name] ?? '');
}

function link(token: Tokens.Link): ComponentChild {
  const children = inline(token.tokens, false);
  if (isWebLink(token.href)) {
    const host = hostOf(token.href);
    return (
      <>
        <Anchor href={token.href} title={token.href} onOpen={() => post({ type: 'open_link', url: token.href })}>
          {children}
        </Anchor>
        {!namesHost(token.text, host) && <span class="dim"> ({host})</span>}
      </>
    );
  }
  // A model's text may link only to this command, because this command, which chooses a model, changes no files.
  if (token.href === 'command:kedge.connectModel') {
    return (
      <Button kind="primary" onClick={() => post({ type: 'connect_model' })}>
        {token.text}
      </Button>
    );
  }
  const reference = referenceOf(token.href);
  return reference ? <FileReference {...reference}>{children}</FileReference> : children;
}

/** Returns the host as the browser resolves it: look-alike letters of other scripts are shown in punycode. */
function hostOf(href: string): string {
  return URL.canParse(href) ? new URL(href).host || href : href;
}

/** Returns true if the text of a link is exactly its host or an address on that host. */
function namesHost(text: string, host: string): boolean {
  return URL.canParse(text) ? new URL(text).host === host : text.toLowerCase() === host;
}

function FileReference({ path, line, children }: Reference & { children: ComponentChild }) {
  return (
    <Anchor
      href={path}
      title={line ? `Open ${path} at line ${line}` : `Open ${path}`}
      onOpen={() => post({ type: 'open_file', path, line })}
    >
      {children}
    </Anchor>
  );
}

/** A place in a document. The extension host knows the collections. */
function Citation({ text, children }: { text: string; children: ComponentChild }) {
  return (
    <Anchor href={`#${text}`} title={`Open ${text}`} onOpen={() => post({ type: 'open_source', text })}>
      {children}
    </Anchor>
  );
}

/** The language services find the symbol when the link is opened. */
function SymbolReference({ name, children }: { name: string; children: ComponentChild }) {
  return (
    <Anchor href={`#${name}`} title={`Go to ${name}`} kind="symbol" onOpen={() => post({ type: 'open_symbol', name })}>
      {children}
    </Anchor>
  );
}

type AnchorProps = { href: string; title: string; kind?: 'symbol'; onOpen: () => void; children: ComponentChild };

/** A link that the extension host opens. VS Code would also follow the anchor, so the click is not passed on. */
function Anchor({ href, title, kind, onOpen, children }: AnchorProps) {
  const onClick = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onOpen();
  };
  return (
    <a href={href} title={title} class={kind} onClick={onClick}>
      {children}
    </a>
  );
}
