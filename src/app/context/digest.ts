import { hashOf } from '../../workspace/content.ts';

/** Returns the digest that identifies the content of a note about rules or memory. */
export async function digestOf(text: string): Promise<string> {
  return (await hashOf(new TextEncoder().encode(text))).slice(0, 16);
}
