/** Lets the user sign in to MCP servers from the terminal. */
import { join } from 'node:path';
import type { SignIn } from '../../../mcp/types.ts';
import { exclusiveIn } from '../../node/exclusive.ts';
import { StoredKeys } from '../../node/keyring.ts';
import { browserSignIn, keychainStore } from '../../node/sign-in.ts';
import { storageDirectory } from '../../node/storage.ts';
import { oneLine } from '../output/terminal.ts';

/** The address is printed and not opened, so that the user decides. The tokens are in the keychain. */
export function terminalSignIn(): SignIn {
  const folder = join(storageDirectory(process.env), 'mcp');
  const keys = new StoredKeys(folder);
  return browserSignIn(keychainStore(keys), exclusiveIn(folder), async (server, address) => {
    if (process.stdin.isTTY !== true)
      throw new Error('You must sign in, and no terminal is connected. Run kedge agent in a terminal once.');
    const name = oneLine(server, 100);
    process.stderr.write(
      `kedge: The MCP server ${name} requires that you sign in at ${oneLine(address.host)}. If you trust it, open this address in a browser on this computer:\n${oneLine(address.href, 4_000)}\n`,
    );
  });
}
