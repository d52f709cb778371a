/** Reads the language of a code block, and the path of the file that it belongs to. */
import { referenceOf } from './references.ts';

export type CodeInfo = { language: string; path?: string };

/** Reads the line after the fence: `ts`, `ts src/tide.ts`, `ts:src/tide.ts` or `ts title="src/tide.ts"`; or a comment in the first line of the code. */
export function codeInfo(fence: string, code: string): CodeInfo {
  const [, language = '', rest = ''] = /^([^\s:,{]*)[\s:,]*([\s\S]*)$/.exec(fence.trim()) ?? [];
  const [, named] = /(?:^|[\s{])(?:title|file|filename|path)=["']?([^"'\s}]+)/.exec(rest) ?? [];
  const [, commented] = /^\s*(?:\/\/|#|--|<!--|\/\*|;)\s*(\S+?)\s*(?:-->|\*\/)?[ \t]*(?:\r?\n|$)/.exec(code) ?? [];
  const path = [named, rest.trim(), commented].find((each) => each && isPath(each));
  return { language: language.toLowerCase(), ...(path && { path: path.replace(/^\.\//, '') }) };
}

function isPath(text: string): boolean {
  return /^[\w@.+~/-]+\.[A-Za-z]\w{0,9}$/.test(text) && (referenceOf(`${text}:1`)?.path ?? '') !== '';
}

/** Returns the code without the comment in its first line that names its file. */
export function withoutPathComment(code: string, path: string | undefined): string {
  const [first = ''] = code.split('\n', 1);
  const isNamed = path !== undefined && codeInfo('', `${first}\n`).path === path;
  return isNamed ? code.slice(first.length + 1) : code;
}
