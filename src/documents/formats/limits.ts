/**
 * The limits of reading one document. They apply to every format. The limits of time and memory are enforced from outside,
 * because the parser of a package cannot be interrupted from inside.
 */

/** The maximum size of a file, in bytes. */
export const MAX_BYTES = 64 << 20;
/** The maximum size of a file that is decoded as a whole, such as Markdown or CSV. */
export const MAX_TEXT_BYTES = 16 << 20;
/** The maximum size of one unpacked entry of an archive, and of all entries that are read. */
export const MAX_ENTRY_BYTES = 64 << 20;
export const MAX_UNPACKED_BYTES = 160 << 20;
/** An entry of more than `RATIO_FROM` bytes must not unpack to more than `MAX_RATIO` times its packed size. */
export const MAX_RATIO = 250;
export const RATIO_FROM = 16 << 20;
export const MAX_ENTRIES = 20_000;
export const MAX_XML_DEPTH = 256;
/** The maximum number of pages of a PDF that are read. */
export const MAX_PAGES = 5_000;
/** The maximum number of lines of a text that are read. */
export const MAX_LINES = 1_000_000;
export const MAX_BLOCKS = 200_000;
/** The maximum length of all blocks together, in characters. */
export const MAX_CHARACTERS = 16_000_000;
/** The maximum number of cells of all tables together. */
export const MAX_CELLS = 1_000_000;
/** Longer cells are truncated. Excel allows 32,767 characters. */
export const MAX_CELL_LENGTH = 32_767;
/** A long table is delivered in parts of this many rows, each of which repeats the head, so that each part has a place of its own. */
export const ROWS_PER_TABLE = 40;
