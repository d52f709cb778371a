import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { IconButton } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { post } from '../host.ts';
import { codeInfo, withoutPathComment } from './code-info.ts';
import { CodeText } from './code-text.tsx';

/** Whether the user can insert the code of the surrounding Markdown into a file. It is true for the answer of a model. */
export const TakesCode = createContext(false);

type CodeBlockProps = { code: string; fence: string; isOpen?: boolean };

export function CodeBlock({ code, fence, isOpen = false }: CodeBlockProps) {
  const takesCode = useContext(TakesCode) && !isOpen && code.trim() !== '';
  const { language, path } = codeInfo(fence, code);
  const taken = { code: withoutPathComment(code, path), ...(path && { path }) };
  return (
    <div class="code-block">
      <div class="code-head">
        <span class="cut grow">{path ?? language}</span>
        {takesCode && (
          <>
            <IconButton
              icon="git-stash-apply"
              label={path ? `Apply to ${path}` : 'Apply to file'}
              onClick={() => post({ type: 'apply_code', ...taken, language })}
            />
            <IconButton icon="insert" label="Insert at cursor" onClick={() => post({ type: 'insert_code', code })} />
            <IconButton
              icon="new-file"
              label="Open as new file"
              onClick={() => post({ type: 'open_code', code: taken.code, language, ...(path && { path }) })}
            />
          </>
        )}
        <CopyButton text={() => code} label="Copy code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an element that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>
          <CodeText text={code} language={language} isOpen={isOpen} />
        </code>
      </pre>
    </div>
  );
}
