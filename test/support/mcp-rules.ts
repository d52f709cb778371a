import type { IsDenied } from '../../src/mcp/types.ts';

/** No rule denies an MCP server. */
export const isNeverDenied: IsDenied = () => false;
