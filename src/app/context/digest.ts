import { hashOf } from '../../workspace/content.ts';

/** Returns the digest by which a note about rules or memory is recognized. */
export async function digestOf(text: string): Promise<string> {
  return (await hashOf(new TextEncoder().encode(text))).slice(0, 16);
}
