/**
 * A minimal agent with only fetch, JSON and readFile. It is compared with the terminal program, which also has a log, a policy and checks.
 * Usage: bare-loop.ts <base URL> <folder> <prompt>
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Item = { type: string; name?: string; call_id?: string; arguments?: string; content?: { text?: string }[] };

const [baseUrl, folder = '.', prompt = ''] = process.argv.slice(2);
const tools = [
  {
    type: 'function',
    name: 'read_file',
    description: 'Read a text file as numbered lines.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
const input: object[] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }];

for (;;) {
  const response = await fetch(`${baseUrl}/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify({ model: 'bench', stream: true, store: false, instructions: 'You are a coding assistant.', tools, input }),
  });
  const decoder = new TextDecoder();
  const output: Item[] = [];
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = text
        .slice(0, end)
        .split('\n')
        .find((line) => line.startsWith('data: '));
      text = text.slice(end + 2);
      const event = JSON.parse(data?.slice(6) ?? '{}');
      if (event.type === 'response.output_item.done') output.push(event.item);
    }
  }
  input.push(...output);
  const calls = output.filter((item) => item.type === 'function_call');
  if (calls.length === 0) {
    console.log(output.map((item) => item.content?.map((part) => part.text).join('')).join(''));
    break;
  }
  for (const call of calls) {
    const file = await readFile(join(folder, JSON.parse(call.arguments ?? '{}').path), 'utf8');
    const numbered = file.split('\n').map((line, index) => `${index + 1}\t${line}`);
    input.push({ type: 'function_call_output', call_id: call.call_id, output: numbered.join('\n') });
  }
}
