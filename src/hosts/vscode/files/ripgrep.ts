import { join } from 'node:path';
import * as vscode from 'vscode';
import { findRipgrep } from '../../node/search/ripgrep.ts';

let found: Promise<string | undefined> | undefined;

/** The ripgrep that VS Code brings along, else one on PATH. Where it lies differs between builds. */
export function editorRipgrep(): Promise<string | undefined> {
  const looking = found ?? findRipgrep(candidates());
  found = looking;
  return looking;
}

function candidates(): string[] {
  const binary = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const platform = `${process.platform}-${process.arch}`;
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    join(vscode.env.appRoot, modules, '@vscode', 'ripgrep-universal', 'bin', platform, binary),
    join(vscode.env.appRoot, modules, '@vscode', 'ripgrep', 'bin', binary),
  ]);
}
