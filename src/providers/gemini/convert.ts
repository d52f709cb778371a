import type { Content, GenerateContentParameters, Part, ThinkingLevel } from '@google/genai/web';
import { type AssistantMessage, type ImagePart, type Message, resultText, type TextPart } from '../../core/model/messages.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { type FramedResult, framed } from '../../core/model/notes.ts';
import { echoInput, wireId } from '../tool-calls.ts';

export const PROVIDER = 'gemini';

/** The content of `part.replay`: the signature of a part, the original call id, or a whole part of an unknown type. */
export type Token = { signature?: string; id?: string; part?: Record<string, unknown> };

/** Newer models reject calls without a signature. The API documents this value for calls made by another model. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** The id sent to the service, by call id. A call that was received without an id is sent back without an id, and so is its result. */
export type Ids = Map<string, string | undefined>;

/** Each request extends the contents of the previous request, and everything else stays the same during a run, for the prompt cache. */
export function toParameters(request: ModelRequest, withoutSchema = false): GenerateContentParameters {
  const { model, system, tools, maxOutputTokens, reasoningEffort, temperature, answerSchema } = request;
  const ids: Ids = new Map();
  return {
    model,
    contents: request.messages.flatMap((message) => toContent(message, model, ids)),
    config: {
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
      ...(system === '' ? {} : { systemInstruction: { role: 'user', parts: [{ text: system }] } }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(answerSchema === undefined || withoutSchema ? {} : { responseMimeType: 'application/json', responseJsonSchema: answerSchema }),
      ...(reasoningEffort === undefined
        ? {}
        : { thinkingConfig: { includeThoughts: true, thinkingLevel: reasoningEffort.toUpperCase() as ThinkingLevel } }),
      ...(tools.length === 0
        ? {}
        : {
            tools: [
              {
                functionDeclarations: tools.map(({ name, description, inputSchema }) => ({
                  name,
                  description,
                  parametersJsonSchema: inputSchema,
                })),
              },
            ],
          }),
    },
  };
}

/**
 * Returns an empty list if no content remains, because the API rejects contents without parts. Contents are sent without the SDK's
 * conversion, but their fields are in its order.
 */
export function toContent(neutral: Message, model: string, ids: Ids = new Map()): Content[] {
  const message = framed(neutral);
  const parts =
    message.role === 'assistant'
      ? toModelParts(message, message.from.provider === PROVIDER && message.from.model === model, ids)
      : message.role === 'tool'
        ? toResponses(message.content, ids)
        : toInput(message.content);
  return parts.length === 0 ? [] : [{ parts, role: message.role === 'assistant' ? 'model' : 'user' }];
}

function toModelParts(message: AssistantMessage, own: boolean, ids: Ids): Part[] {
  let firstCall = true;
  return message.content.flatMap((part): Part[] => {
    const { signature, id, part: whole }: Token = own ? ((part.replay ?? {}) as Token) : {};
    const signed = signature ? { thoughtSignature: signature } : {};
    if (whole) return [whole as Part];
    if (part.type === 'text') return part.text || signature ? [{ text: part.text, ...signed }] : [];
    if (part.type === 'reasoning') return signature ? [{ text: part.text, thought: true, ...signed }] : [];
    const wire = own ? id : wireId(part.id);
    ids.set(part.id, wire);
    const foreign = !own && firstCall ? { thoughtSignature: FOREIGN_SIGNATURE } : {};
    firstCall = false;
    return [{ functionCall: { args: echoInput(part), ...(wire ? { id: wire } : {}), name: part.name }, ...signed, ...foreign }];
  });
}

/** The API requires results to be JSON, so images follow as separate parts. */
function toResponses(results: readonly FramedResult[], ids: Ids): Part[] {
  const responses = results.map((result): Part => {
    const id = ids.get(result.callId);
    const text = resultText(result);
    return {
      functionResponse: { ...(id ? { id } : {}), name: result.name, response: result.isError ? { error: text } : { output: text } },
    };
  });
  return [...responses, ...results.flatMap((result) => toInput(result.content.filter((part) => part.type === 'image')))];
}

function toInput(parts: readonly (TextPart | ImagePart)[]): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.type === 'image') return [{ inlineData: { mimeType: part.mediaType, data: part.data } }];
    return part.text === '' ? [] : [{ text: part.text }];
  });
}
