import type { Metafile } from 'esbuild';

export function notices(metafiles: readonly Metafile[], others: readonly string[], root?: string): Promise<string>;
