import { join } from 'node:path';
import * as vscode from 'vscode';
import { findRipgrep } from '../../node/search/ripgrep.ts';

let search: Promise<string | undefined> | undefined;

/**
 * Returns the path of the ripgrep that comes with VS Code, or else of a ripgrep on PATH. Builds of VS Code contain ripgrep in different
 * places.
 */
export function editorRipgrep(): Promise<string | undefined> {
  search ??= findRipgrep(candidates());
  return search;
}

function candidates(): string[] {
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const platform = `${process.platform}-${process.arch}`;
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    join(vscode.env.appRoot, modules, '@vscode', 'ripgrep-universal', 'bin', platform, binary),
    join(vscode.env.appRoot, modules, '@vscode', 'ripgrep', 'bin', binary),
  ]);
}
