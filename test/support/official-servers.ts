/** The official example servers of the Model Context Protocol. */
import { join } from 'node:path';

/** Returns the configuration of a server, which runs on Node. */
export function official(name: 'everything' | 'filesystem' | 'memory' | 'sequential-thinking', args: string[] = [], more: object = {}) {
  const program = join(import.meta.dirname, `../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
  return { command: process.execPath, args: [program, ...args], ...more };
}
