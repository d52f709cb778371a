/** Detects the format of a document by its content, and by the extension of its name where the content does not decide. */
import { DocumentError, type DocumentFormat } from '../document.ts';
import { formatOfExtension } from '../names.ts';
import { decodeText, encodingOf } from './encoding.ts';
import { MAX_BYTES, MAX_TEXT_BYTES } from './limits.ts';
import { Archive } from './office/archive.ts';

export type Detected =
  | { format: 'pdf' | 'html'; bytes: Uint8Array }
  | { format: 'docx' | 'pptx' | 'xlsx'; archive: Archive }
  | { format: Exclude<DocumentFormat, 'pdf' | 'html' | 'docx' | 'pptx' | 'xlsx'>; text: string };

/** Files whose bytes show that they cannot be read, and what to do with them. */
const UNSUPPORTED: readonly [what: string, advice: string, ...signature: number[]][] = [
  ['a picture', 'Kedge reads text, not pictures.', 0x89, 0x50, 0x4e, 0x47],
  ['a picture', 'Kedge reads text, not pictures.', 0xff, 0xd8, 0xff],
  ['a picture', 'Kedge reads text, not pictures.', 0x47, 0x49, 0x46, 0x38],
  ['an RTF document', 'Save it as .docx or .pdf.', 0x7b, 0x5c, 0x72, 0x74, 0x66],
  ['an archive', 'Unpack it and add the files.', 0x1f, 0x8b],
  ['an archive', 'Unpack it and add the files.', 0x37, 0x7a, 0xbc, 0xaf],
  ['an archive', 'Unpack it and add the files.', 0x52, 0x61, 0x72, 0x21],
];

/** @throws DocumentError if the file cannot be read, or is empty or too large */
export function detect(path: string, bytes: Uint8Array): Detected {
  if (bytes.length === 0) throw new DocumentError('empty', 'The file is empty.');
  limit(bytes, MAX_BYTES);
  if (hasPdfHeader(bytes)) return { format: 'pdf', bytes };
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04) || startsWith(bytes, 0x50, 0x4b, 0x05, 0x06)) return inArchive(bytes);
  if (startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)) throw oldOffice(bytes);
  for (const [what, advice, ...signature] of UNSUPPORTED)
    if (startsWith(bytes, ...signature)) throw new DocumentError('unsupported', `The file is ${what}. ${advice}`);
  return asText(path, bytes);
}

/** Returns the format that the extension of a path stands for. */
export function formatOf(path: string): DocumentFormat | undefined {
  return formatOfExtension(extensionOf(path));
}

export function extensionOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
}

function asText(path: string, bytes: Uint8Array): Detected {
  const format = formatOf(path);
  limit(bytes, MAX_TEXT_BYTES);
  const encoding = encodingOf(bytes);
  if (encoding === undefined && isBinary(bytes)) {
    if (format === 'pdf' || format === 'docx' || format === 'pptx' || format === 'xlsx')
      throw new DocumentError('damaged', `The file does not begin like a .${format} file. Open it in its program and save it again.`);
    throw new DocumentError('unsupported', 'The file contains binary data, not text. Save it as text, HTML, PDF or an Office format.');
  }
  const start = encoding === undefined || encoding === 'utf-8' ? decodeText(bytes.subarray(0, 1_024)) : '';
  const isPage = /^\s*(<!--|<\?xml[^>]{0,200}>\s*)?(<!doctype html|<html[\s>])/i.test(start);
  if (format === 'html' || (isPage && (format === undefined || format === 'text'))) return { format: 'html', bytes };
  if (format === undefined || format === 'text' || format === 'pdf' || format === 'docx' || format === 'pptx' || format === 'xlsx') {
    if (format !== undefined && format !== 'text')
      throw new DocumentError('damaged', `The file is named .${format} and contains text. Rename it, or save it again in its program.`);
    return { format: 'text', text: decodeText(bytes) };
  }
  return { format, text: decodeText(bytes) };
}

/** A PDF may have other bytes before its header. */
function hasPdfHeader(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).includes('%PDF-');
}

function inArchive(bytes: Uint8Array): Detected {
  const archive = new Archive(bytes);
  const has = (path: RegExp) => archive.names.some((name) => path.test(name));
  if (has(/^word\/document\d*\.xml$/)) return { format: 'docx', archive };
  if (has(/^ppt\/presentation\.xml$/)) return { format: 'pptx', archive };
  if (has(/^xl\/workbook\.xml$/)) return { format: 'xlsx', archive };
  if (has(/^xl\/workbook\.bin$/)) throw new DocumentError('unsupported', 'The file is a binary workbook (.xlsb). Save it as .xlsx.');
  if (has(/^content\.xml$/) && has(/^mimetype$/))
    throw new DocumentError('unsupported', 'The file is an OpenDocument file or an e-book. Save it as .docx, .pptx, .xlsx or .pdf.');
  throw new DocumentError(
    'unsupported',
    'The file is an archive without a document of Word, PowerPoint or Excel. Unpack it and add the files.',
  );
}

/** Password-protected documents and the formats before 2007 are stored in the same kind of container. */
function oldOffice(bytes: Uint8Array): DocumentError {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const has = (name: string) => content.includes(Buffer.from(name, 'utf16le'));
  if (has('EncryptedPackage'))
    return new DocumentError('encrypted', 'The document is protected by a password. Save a copy without a password and add the copy.');
  const [kind, instead] = has('WordDocument')
    ? ['a document of Word 97 to 2003 (.doc)', '.docx']
    : has('PowerPoint Document')
      ? ['a presentation of PowerPoint 97 to 2003 (.ppt)', '.pptx']
      : has('Workbook') || has('Book')
        ? ['a workbook of Excel 97 to 2003 (.xls)', '.xlsx']
        : ['in an old format of Microsoft Office', '.docx, .pptx or .xlsx'];
  return new DocumentError('unsupported', `The file is ${kind}. Save it as ${instead} and add that file.`);
}

function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 8_192);
  const controls = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27)).length;
  return controls > Math.max(8, sample.length / 20) || sample.includes(0);
}

function limit(bytes: Uint8Array, max: number): void {
  if (bytes.length <= max) return;
  const [size, allowed] = [bytes.length, max].map((count) => `${Math.ceil(count / (1 << 20))} MB`);
  throw new DocumentError('too-large', `The file is ${size}, and the limit for this format is ${allowed}. Split it into smaller files.`);
}

function startsWith(bytes: Uint8Array, ...signature: number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}
