/** Reads presentations: the title, text, tables and notes of each slide, in the order of the slides. */
import { DocumentError, type Place } from '../../document.ts';
import type { Blocks } from '../blocks.ts';
import type { Archive } from './archive.ts';
import { type Attributes, readXml, relationsOf, titleIn } from './xml.ts';

export function readPptx(archive: Archive, blocks: Blocks): void {
  blocks.title = titleIn(archive.read('docProps/core.xml'));
  const slides = slidesOf(archive);
  if (slides.length === 0) throw new DocumentError('empty', 'The presentation has no slides.');
  for (const [index, path] of slides.entries()) {
    const content = archive.read(path);
    const slide = index + 1;
    if (!content) {
      blocks.note(`Slide ${slide} is missing in the file.`);
      continue;
    }
    readXml(content, new SlideText(blocks, { slide }, false));
    const notes = [...relations(archive, path).values()].find(({ type }) => type === 'notesSlide');
    const notesContent = notes && archive.read(notes.path);
    if (notesContent) readXml(notesContent, new SlideText(blocks, { slide }, true));
  }
}

/** Returns the paths of the slides in the order of the presentation. */
function slidesOf(archive: Archive): string[] {
  const targets = relations(archive, 'ppt/presentation.xml');
  const slides: string[] = [];
  readXml(archive.read('ppt/presentation.xml') ?? new Uint8Array(), {
    open(name, attributes) {
      const target = name === 'p:sldId' ? targets.get(attributes['r:id'] ?? '') : undefined;
      if (target) slides.push(target.path);
    },
  });
  return slides;
}

function relations(archive: Archive, path: string): ReturnType<typeof relationsOf> {
  const slash = path.lastIndexOf('/');
  return relationsOf(archive.read(`${path.slice(0, slash)}/_rels/${path.slice(slash + 1)}.rels`), path.slice(0, slash));
}

/** Receives the elements of a slide or of its notes. */
class SlideText {
  readonly #blocks: Blocks;
  readonly #place: Place;
  readonly #isNotes: boolean;
  /** The kind of the placeholder that the shape fills, such as `title`. */
  #kind = '';
  #paragraphs: string[] = [];
  #pieces: string[] = [];
  #level = 0;
  #isText = false;
  #rows: string[][] | undefined;
  #fallbacks = 0;

  constructor(blocks: Blocks, place: Place, isNotes: boolean) {
    this.#blocks = blocks;
    this.#place = place;
    this.#isNotes = isNotes;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'mc:Fallback') this.#fallbacks++;
    if (this.#fallbacks > 0) return;
    if (name === 'p:sp') this.#kind = '';
    else if (name === 'p:ph') this.#kind = attributes.type ?? 'body';
    else if (name === 'a:p') {
      this.#pieces = [];
      this.#level = 0;
    } else if (name === 'a:pPr') this.#level = Math.min(8, Number(attributes.lvl) || 0);
    else if (name === 'a:t') this.#isText = true;
    else if (name === 'a:br') this.#pieces.push('\n');
    else if (name === 'a:tbl') this.#rows = [];
    else if (name === 'a:tr') this.#rows?.push([]);
    else if (name === 'p:cNvPr' && attributes.descr && !this.#isNotes)
      this.#blocks.add({ kind: 'image', text: attributes.descr, place: this.#place });
  }

  text(text: string): void {
    if (this.#isText && this.#fallbacks === 0) this.#pieces.push(text);
  }

  close(name: string): void {
    if (name === 'mc:Fallback') this.#fallbacks--;
    if (this.#fallbacks > 0) return;
    if (name === 'a:t') this.#isText = false;
    else if (name === 'a:p') {
      const text = this.#pieces.join('');
      if (text.trim() !== '') this.#paragraphs.push(`${'  '.repeat(this.#level)}${text}`);
      this.#pieces = [];
    } else if (name === 'a:tc') this.#rows?.at(-1)?.push(this.#paragraphs.splice(0).join('\n').trim());
    else if (name === 'a:tbl') this.#endTable();
    else if (name === 'p:sp') this.#endShape();
  }

  #endTable(): void {
    this.#blocks.table(this.#rows ?? [], () => this.#place);
    this.#rows = undefined;
  }

  #endShape(): void {
    const text = this.#paragraphs.splice(0).join('\n');
    // The number, the date and the footer repeat on all slides, and the notes contain a picture of the slide.
    if (text.trim() === '' || /^(sldNum|dt|ftr|hdr|sldImg)$/.test(this.#kind)) return;
    if (this.#isNotes) this.#blocks.add({ kind: 'text', text: `Notes: ${text}`, place: this.#place });
    else if (this.#kind === 'title' || this.#kind === 'ctrTitle') this.#blocks.heading(1, text, this.#place);
    else this.#blocks.add({ kind: 'text', text, place: this.#place });
  }
}
