/** Writes small PDF files for tests: text in a built-in font or in any script, outlines, images, and protection by a password. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** Text at a position, counted in points from the lower left corner. */
export type PdfText = { text: string; x?: number; y: number; size?: number };
export type PdfPage = readonly PdfText[] | 'image' | 'blank';
export type PdfOptions = {
  title?: string;
  outline?: readonly { title: string; page: number }[];
  /** The password that opens the file. */
  password?: string;
  isCompressed?: boolean;
};

/** The string that the specification pads passwords with. */
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const ID = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const PERMISSIONS = -44;

type Content = string | { dictionary: string; stream: Buffer };

export function pdf(pages: readonly PdfPage[], options: PdfOptions = {}): Buffer {
  const objects: Content[] = [];
  const add = (content: Content) => objects.push(content);
  const keys = options.password === undefined ? undefined : keysFor(options.password);
  const text = (value: string) => hex(encrypted(utf16(`\ufeff${value}`), objects.length + 1));
  const encrypted = (bytes: Buffer, object: number): Buffer => (keys ? rc4(objectKey(keys.key, object), bytes) : bytes);
  // The first objects have fixed numbers, because others refer to them.
  const [catalog, tree, latin, any, descendant, toUnicode, image] = [1, 2, 3, 4, 5, 6, 7];
  const glyphs = glyphsIn(pages);
  const firstPage = 8;
  add(`<</Type/Catalog/Pages ${tree} 0 R${options.outline ? `/Outlines ${firstPage + 2 * pages.length} 0 R` : ''}>>`);
  add(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, index) => `${firstPage + 2 * index} 0 R`).join(' ')}]>>`);
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  add(`<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/Identity-H/DescendantFonts[${descendant} 0 R]/ToUnicode ${toUnicode} 0 R>>`);
  add('<</Type/Font/Subtype/CIDFontType2/BaseFont/Any/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600>>');
  add({ dictionary: '', stream: encrypted(Buffer.from(unicodeMap(glyphs)), toUnicode as number) });
  add({
    dictionary: '/Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8',
    stream: encrypted(Buffer.from([0, 255, 255, 0]), image as number),
  });
  for (const [index, page] of pages.entries()) {
    const resources = `/Resources<</Font<</F1 ${latin} 0 R/F2 ${any} 0 R>>/XObject<</I1 ${image} 0 R>>>>`;
    add(`<</Type/Page/Parent ${tree} 0 R/MediaBox[0 0 612 792]${resources}/Contents ${firstPage + 2 * index + 1} 0 R>>`);
    const stream = Buffer.from(contentOf(page, glyphs));
    const packed = options.isCompressed ? deflateSync(stream) : stream;
    add({ dictionary: options.isCompressed ? '/Filter/FlateDecode' : '', stream: encrypted(packed, objects.length + 1) });
  }
  if (options.outline) {
    const root = objects.length + 1;
    const count = options.outline.length;
    add(`<</Type/Outlines/First ${root + 1} 0 R/Last ${root + count} 0 R/Count ${count}>>`);
    for (const [index, { title, page }] of options.outline.entries()) {
      const next = index + 1 < count ? `/Next ${root + index + 2} 0 R` : '';
      add(`<</Title ${text(title)}/Parent ${root} 0 R/Dest[${firstPage + 2 * (page - 1)} 0 R/Fit]${next}>>`);
    }
  }
  const info = objects.length + 1;
  add(`<</Title ${text(options.title ?? '')}>>`);
  const protection = keys && `/Encrypt<</Filter/Standard/V 1/R 2/O ${hex(keys.owner)}/U ${hex(keys.user)}/P ${PERMISSIONS}>>`;
  return file(objects, `/Root ${catalog} 0 R/Info ${info} 0 R/ID[${hex(ID)}${hex(ID)}]${protection ?? ''}`);
}

/** Writes objects with their table. @param trailer the entries of the trailer */
export function file(objects: readonly Content[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let offset = (parts[0] as Buffer).length;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    offset += bytes.length;
  };
  for (const [index, content] of objects.entries()) {
    offsets.push(offset);
    if (typeof content === 'string') add(Buffer.from(`${index + 1} 0 obj\n${content}\nendobj\n`));
    else {
      const { dictionary, stream } = content;
      const head = Buffer.from(`${index + 1} 0 obj\n<<${dictionary}/Length ${stream.length}>>\nstream\n`);
      add(Buffer.concat([head, stream, Buffer.from('\nendstream\nendobj\n')]));
    }
  }
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<</Size ${size}${trailer}>>\nstartxref\n${offset}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

function contentOf(page: PdfPage, glyphs: readonly string[]): string {
  if (page === 'image') return 'q 600 0 0 700 0 0 cm /I1 Do Q';
  if (page === 'blank') return '';
  return page
    .map(({ text, x = 72, y, size = 11 }) => `BT ${fontOf(text)} ${size} Tf 1 0 0 1 ${x} ${y} Tm ${shown(text, glyphs)} Tj ET`)
    .join('\n');
}

const isLatin = (text: string) => /^[\x20-\x7e]*$/.test(text);
const fontOf = (text: string) => (isLatin(text) ? '/F1' : '/F2');

function shown(text: string, glyphs: readonly string[]): string {
  if (isLatin(text)) return `(${text.replace(/[\\()]/g, '\\$&')})`;
  return `<${[...text].map((char) => (glyphs.indexOf(char) + 1).toString(16).padStart(4, '0')).join('')}>`;
}

/** The characters that the font of any script needs. Their indexes are the numbers of their glyphs. */
function glyphsIn(pages: readonly PdfPage[]): string[] {
  const texts = pages.flatMap((page) => (typeof page === 'string' ? [] : page.map(({ text }) => text)));
  return [...new Set(texts.filter((text) => !isLatin(text)).join(''))];
}

function unicodeMap(glyphs: readonly string[]): string {
  const lines = glyphs.map((char, index) => {
    const code = Buffer.from(char, 'utf16le').swap16().toString('hex');
    return `<${(index + 1).toString(16).padStart(4, '0')}> <${code}>`;
  });
  const parts: string[] = [];
  for (let from = 0; from < lines.length; from += 100) {
    const some = lines.slice(from, from + 100);
    parts.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def 1 begincodespacerange <0000> <ffff> endcodespacerange\n${parts.join('\n')}\nendcmap end end`;
}

/** The keys of the standard protection, revision 2, whose owner and user have the same password. */
function keysFor(password: string): { key: Buffer; owner: Buffer; user: Buffer } {
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(Buffer.concat([padded, owner, permissions, ID])).subarray(0, 5);
  return { key, owner, user: rc4(key, PADDING) };
}

function objectKey(key: Buffer, object: number): Buffer {
  return md5(Buffer.concat([key, Buffer.from([object & 255, (object >> 8) & 255, 0, 0, 0])])).subarray(0, 10);
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest();
const hex = (bytes: Buffer) => `<${bytes.toString('hex')}>`;

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] as number;
  const swap = (a: number, b: number) => ([state[a & 255], state[b & 255]] = [at(b), at(a)]);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] as number)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}

function utf16(text: string): Buffer {
  const bytes: Buffer = Buffer.from(text, 'utf16le');
  return bytes.swap16();
}
