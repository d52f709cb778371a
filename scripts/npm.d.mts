export function npm(args: string[], cwd: string): Promise<string>;
