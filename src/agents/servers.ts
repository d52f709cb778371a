/** Returns true if an entry names the server as a whole, or this tool of it. Without `tool`, any tool of the server. */
export function isOfServer(entry: string, server: string, tool: string | undefined): boolean {
  const own = `mcp:${server}`;
  if (entry === own) return true;
  return entry.startsWith(`${own}/`) && (tool === undefined || entry === `${own}/${tool}`);
}
