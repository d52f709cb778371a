/** The data and the requests of the pages about permissions and MCP servers. */
import * as z from 'zod';
import { ACTIONS, GRANT_SCOPES, type Subject } from '../core/session/grant-scope.ts';
import { type ServerStatus, TOOL_USES } from '../core/view/mcp-servers.ts';
import { LEVELS } from '../core/view/permissions.ts';

/** The MCP servers in the user's settings. Without trust in the workspace, none of them is started. */
export type ServersPage = { servers: readonly ServerStatus[]; trusted: boolean };

const name = z.string().min(1).max(1_000);
const effect = z.enum(['allow', 'ask', 'deny']);
const permissions = z.literal('permissions');
const subject = z.union([z.object({ action: z.enum(ACTIONS) }), z.object({ server: name })]) satisfies z.ZodType<Subject>;
export const permissionRequests = [
  /** Sets the effect for a subject at a level. Without `effect`, the setting is removed. */
  z.object({ page: permissions, type: z.literal('set_permission'), subject, level: z.enum(LEVELS), effect: effect.optional() }),
  /** `key` identifies the permission (`permissionKey`). */
  z.object({ page: permissions, type: z.literal('revoke_grant'), scope: z.enum(GRANT_SCOPES), key: z.string().max(100_000) }),
  z.object({
    page: permissions,
    type: z.literal('remove_rule'),
    level: z.enum(['user', 'workspace']),
    effect,
    rule: z.record(name, z.string().max(1_000)),
  }),
  z.object({ page: permissions, type: z.literal('allow_reading_commands'), isAllowed: z.boolean() }),
  z.object({ page: permissions, type: z.literal('open_rules') }),
] as const;

const servers = z.literal('servers');
export const serverRequests = [
  z.object({ page: servers, type: z.literal('restart_server'), server: name }),
  z.object({ page: servers, type: z.literal('turn_server'), server: name, isOn: z.boolean() }),
  z.object({ page: servers, type: z.literal('use_tool'), server: name, tool: name, use: z.enum(TOOL_USES) }),
  /** Opens the setting to add a server. */
  z.object({ page: servers, type: z.literal('add_server') }),
] as const;
