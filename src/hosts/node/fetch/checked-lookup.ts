/** Resolves the name of a host for one connection, so that the connection goes to an address that was checked. */
import type { LookupFunction } from 'node:net';
import { ToolError } from '../../../core/run/tool.ts';

type Address = { address: string; family: number };
export type Resolve = (name: string) => Promise<Address[]>;

export const resolveName: Resolve = async (name) => (await import('node:dns/promises')).lookup(name, { all: true, verbatim: true });

/** `expectAllowed` throws an error for an address to which no connection may be made. */
export function checkedLookup(resolve: Resolve, expectAllowed: (name: string, address: string) => void): LookupFunction {
  return (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        try {
          for (const { address } of addresses) expectAllowed(name, address);
          const [first] = addresses;
          if (!first) throw new ToolError(`${name} has no address. Check the host name in the URL.`);
          if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        } catch (error) {
          callback(error as Error, []);
        }
      },
      (error) => callback(error, []),
    );
  };
}
