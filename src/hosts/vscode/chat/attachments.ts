/** Converts the references of a Chat message to parts of the message. Files, selections and texts become mentions. */
import * as vscode from 'vscode';
import type { MentioningSession, Pointed } from '../../../app/mentions/index.ts';
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from '../../../core/model/images.ts';
import { mentionLabel, type RefusedMention } from '../../../core/model/mentions.ts';
import type { ImagePart, MentionRef, ModelRef, NotePart } from '../../../core/model/messages.ts';
import { visibleText } from '../../../core/words/visible-text.ts';
import type { Kedge } from '../kedge.ts';
import { refOfUri } from '../mentions.ts';
import { notificationText } from '../notification-text.ts';

type Part = NotePart | ImagePart;
/** `refused` lists references that are not sent, with the reason for the user. */
export type Attachments = { parts: Part[]; refused: RefusedMention[] };

export async function attachmentsOf(
  references: readonly vscode.ChatPromptReference[],
  { assistant, fs }: Pick<Kedge, 'assistant' | 'fs'>,
  session: MentioningSession,
  signal: AbortSignal,
  model?: ModelRef,
): Promise<Attachments> {
  const refs: Pointed[] = [];
  const parts: Part[] = [];
  const refused: RefusedMention[] = [];
  for (const { id, value } of references) {
    if (value instanceof vscode.Uri || value instanceof vscode.Location) {
      const [uri, range] = value instanceof vscode.Uri ? [value] : [value.uri, value.range];
      const ref = refOfUri(fs, uri, range);
      if (ref) refs.push(ref);
      else
        refused.push({
          ref: { kind: 'file', path: uri.path.slice(uri.path.lastIndexOf('/') + 1) },
          reason: 'It is outside the workspace.',
        });
    } else if (isBinary(value)) parts.push(await binaryPart(value, id));
    else if (typeof value === 'string') refs.push({ kind: 'attachment', name: id, text: value });
  }
  if (refs.length === 0) return { parts, refused };
  const read = await (await assistant.mentions(session)).read(refs, ({ reason }, ref) => confirm(reason, ref), signal, model);
  return { parts: [...read.parts, ...parts], refused: [...refused, ...read.refused] };
}

async function confirm(reason: string, ref: MentionRef): Promise<boolean> {
  const send = 'Send Content';
  const text = `${reason} Send the content of ${mentionLabel(ref)} to the model?`;
  return (await vscode.window.showWarningMessage(notificationText(text), { modal: true }, send)) === send;
}

/** The form in which VS Code passes a pasted image. */
type Binary = { mimeType: string; data(): Thenable<Uint8Array> };

function isBinary(value: unknown): value is Binary {
  return value !== null && typeof value === 'object' && typeof (value as Partial<Binary>).data === 'function';
}

async function binaryPart(value: Binary, name: string): Promise<Part> {
  const bytes = await value.data();
  const type = bytes.length > MAX_IMAGE_BYTES ? undefined : imageTypeOf(bytes);
  return type
    ? imagePart(type, bytes)
    : attachment(name, `A file of the type ${value.mimeType} with ${bytes.length} bytes, which cannot be shown.`);
}

function attachment(name: string, text: string): NotePart {
  return { type: 'note', about: 'mention', text: visibleText(text), ref: { kind: 'attachment', name } };
}
