import type { BuildOptions } from 'esbuild';

export const panelBundles: BuildOptions[];
