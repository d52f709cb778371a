/** Describes tools in the system prompt and writes calls and results as text. The same history always produces the same text. */
import { type AssistantMessage, type Message, resultText, type TextPart, type ToolCall, type ToolMessage } from '../core/model/messages.ts';
import type { JsonSchema, ModelRequest, ToolSpec } from '../core/model/model.ts';
import { withoutNotes } from '../core/model/notes.ts';
import { echoInput } from '../providers/tool-calls.ts';
import { isObject } from './calls.ts';

const RULES = `# Tools
To call a tool, write exactly this, with nothing around it:
<tool_call>
{"name": "the_tool", "arguments": {"key": "value"}}
</tool_call>
The arguments are one JSON object. Independent calls may follow each other. After the last call stop: the results come in the next message, in <tool_result>. Never write a <tool_result> yourself. If no tool is needed, answer in plain text.

These tools exist, and no others:`;

/** Converts a request to one that uses no native tools. */
export function toTextRequest({ answerSchema, ...request }: ModelRequest): ModelRequest {
  const { system, tools, messages, answersNow } = request;
  const described = tools.length === 0 ? [] : [`${RULES}\n\n${tools.map(describe).join('\n\n')}`];
  return {
    ...request,
    // Without native tools, a server applies the schema to all text, so the model could not write a call.
    ...(answerSchema && (answersNow || tools.length === 0) && { answerSchema }),
    system: [system, ...described].filter((part) => part !== '').join('\n\n'),
    tools: NO_TOOLS,
    messages: messages.map((message) => {
      const text = textMessages.get(message) ?? toTextMessage(message);
      textMessages.set(message, text);
      return text;
    }),
  };
}

const NO_TOOLS: ModelRequest['tools'] = [];
/** The converted messages. A message is converted once, because adapters recognize messages by identity. */
const textMessages = new WeakMap<Message, Message>();

export function toTextMessage(message: Message): Message {
  if (message.role === 'tool') return toResults(message);
  if (message.role === 'assistant' && message.content.some((part) => part.type === 'tool_call')) return withoutCalls(message);
  return message;
}

function withoutCalls(message: AssistantMessage): AssistantMessage {
  // A call that was reported as uncertain is already part of the text, so it is not written again.
  const textAndCalls = message.content.filter(
    (part): part is TextPart | ToolCall => part.type === 'text' || (part.type === 'tool_call' && part.problem === undefined),
  );
  const text = textAndCalls.map((part) => (part.type === 'text' ? part.text.trim() : writeCall(part))).filter((part) => part !== '');
  const reasoning = message.content.filter((part) => part.type === 'reasoning');
  return { ...message, stop: 'end_turn', content: [...reasoning, { type: 'text', text: text.join('\n') }] };
}

/** Malformed arguments are sent back as written, so that the model can see the mistake. */
function writeCall(call: ToolCall): string {
  const input = call.malformed ?? JSON.stringify(echoInput(call));
  return `<tool_call>\n{"name": ${JSON.stringify(call.name)}, "arguments": ${input}}\n</tool_call>`;
}

function toResults({ content }: ToolMessage): Message {
  const text = content.map((result) => {
    // The content of a file must not be able to end the result that contains it.
    const body = resultText({ ...result, content: withoutNotes(result.content) }).replaceAll('</tool_result', '<\\/tool_result');
    return `<tool_result name=${JSON.stringify(result.name)}${result.isError ? ' error="true"' : ''}>\n${body}\n</tool_result>`;
  });
  const images = content.flatMap((result) => result.content.filter((part) => part.type === 'image'));
  const notes = content.flatMap((result) => result.content.filter((part) => part.type === 'note'));
  return { role: 'user', content: [{ type: 'text', text: text.join('\n') }, ...images, ...notes] };
}

function describe({ name, description, inputSchema }: ToolSpec): string {
  return `## ${name}\n${description.trim()}\nArguments: ${typeText(inputSchema, inputSchema)}`;
}

/** Writes a schema as a TypeScript-like type, which takes a third of the tokens of JSON and is easier to read for small models. */
function typeText(schema: unknown, root: JsonSchema, depth = 0): string {
  if (!isObject(schema) || depth > 6) return 'any';
  if (typeof schema.$ref === 'string') {
    const path = schema.$ref.split('/').slice(1);
    return typeText(
      path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), root),
      root,
      depth + 1,
    );
  }
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) return union.map((each) => typeText(each, root, depth + 1)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ ...schema, type }, root, depth + 1)).join(' | ');
  if (schema.type === 'array') return `[${typeText(schema.items, root, depth + 1)}, ...]`;
  if (!isObject(schema.properties)) return typeof schema.type === 'string' ? schema.type : 'any';
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const members = Object.entries(schema.properties).map(([key, member]) => {
    const note = isObject(member) && typeof member.description === 'string' ? ` (${member.description.trim()})` : '';
    return `${JSON.stringify(key)}${required.has(key) ? '' : '?'}: ${typeText(member, root, depth + 1)}${note}`;
  });
  return members.length === 0 ? '{}' : `{${members.join(', ')}}`;
}
