/** Complete answers in each wire format: some text in pieces, and the end of the stream. */

const sse = (events: readonly unknown[], named = false) =>
  events.map((event) => `${named ? `event: ${(event as { type: string }).type}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('');

export const TEXT_BODIES: Record<string, (pieces: readonly string[]) => string> = {
  'openai-responses': (pieces) => {
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
    const content = [{ type: 'output_text', annotations: [], text: pieces.join('') }];
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    return sse(
      [
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
        ...pieces.map((delta) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'msg_1', delta })),
        { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
        { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: [{ ...item, content }], usage } },
      ],
      true,
    );
  },
  'openai-chat': (pieces) => {
    const chunk = (delta: unknown, finish_reason: string | null = null) => ({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] });
    const usage = { id: 'c1', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
    return `${sse([...pieces.map((content) => chunk({ content })), chunk({}, 'stop'), usage])}data: [DONE]\n\n`;
  },
  'anthropic-messages': (pieces) =>
    sse(
      [
        { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 10 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...pieces.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ],
      true,
    ),
  gemini: (pieces) =>
    sse([
      ...pieces.map((text) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] })),
      {
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
      },
    ]),
  'ollama-chat': (pieces) => {
    const line = (content: string, more: object) => `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, ...more })}\n`;
    const end = { done: true, done_reason: 'stop', prompt_eval_count: 10, eval_count: 5 };
    return pieces.map((content) => line(content, { done: false })).join('') + line('', end);
  },
};

export type MadeCall = { id: string; name: string; args: Record<string, unknown> };

/** An answer that calls several tools at once. */
export const CALL_BODIES: Record<string, (calls: readonly MadeCall[]) => string> = {
  'openai-responses': (calls) => {
    const items = calls.map(({ id, name, args }) => {
      const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
      return { ...item, status: 'completed', arguments: Object.keys(args).length > 0 ? JSON.stringify(args) : '' };
    });
    return sse(
      [
        ...items.map((item, index) => ({ type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } })),
        ...items.map((item, index) => ({ type: 'response.output_item.done', output_index: index, item })),
        { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output: items } },
      ],
      true,
    );
  },
  'openai-chat': (calls) => {
    const tool_calls = calls.map(({ id, name, args }, index) => {
      return { index, id, type: 'function', function: { name, arguments: Object.keys(args).length > 0 ? JSON.stringify(args) : '' } };
    });
    const choice = (delta: unknown, finish_reason: string | null) => ({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] });
    return `${sse([choice({ tool_calls }, null), choice({}, 'tool_calls')])}data: [DONE]\n\n`;
  },
  'anthropic-messages': (calls) =>
    sse(
      [
        { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 10 } } },
        ...calls.flatMap(({ id, name, args }, index) => [
          { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
          ...(Object.keys(args).length > 0
            ? [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) } }]
            : []),
          { type: 'content_block_stop', index },
        ]),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ],
      true,
    ),
  gemini: (calls) => {
    const parts = calls.map(({ id, name, args }, index) => ({
      functionCall: { id, name, ...(Object.keys(args).length > 0 && { args }) },
      ...(index === 0 && { thoughtSignature: 'token' }),
    }));
    return sse([{ candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] }]);
  },
  'ollama-chat': (calls) => {
    const tool_calls = calls.map(({ id, name, args }, index) => ({ id, function: { index, name, arguments: args } }));
    const line = (message: object, more: object) => `${JSON.stringify({ model: 'm', message, ...more })}\n`;
    const content = { role: 'assistant', content: '' };
    return line({ ...content, tool_calls }, { done: false }) + line(content, { done: true, done_reason: 'stop' });
  },
};
