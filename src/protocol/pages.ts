/** The pages that the panel can show in front of the conversation: the data that the host sends, and the requests that it handles. */
import * as z from 'zod';
import { type Insights, RANGES, type Range } from '../core/insights/insights.ts';
import type { AgentEvent } from '../core/session/events.ts';
import type { PermissionOverview } from '../core/view/permissions.ts';
import type { MemoryEntry } from '../core/words/memory-list.ts';
import { type AgentsPage, agentsRequests } from './agents-page.ts';
import { type DocumentsPage, documentsRequests } from './documents-page.ts';
import { type ModelsPage, modelsRequests } from './models-page.ts';
import { permissionRequests, type ServersPage, serverRequests } from './permission-pages.ts';
import { type SessionsPage, sessionsRequests } from './sessions-page.ts';

/** The data that each page shows. */
export type PageData = {
  memory: MemoryPage;
  replay: ReplayPage;
  permissions: PermissionOverview;
  servers: ServersPage;
  insights: InsightsPage;
  sessions: SessionsPage;
  models: ModelsPage;
  documents: DocumentsPage;
  agents: AgentsPage;
};
export type PageName = keyof PageData;

/** The entries of each memory. `deleted` is the entry that was deleted most recently. It can be restored. */
export type MemoryPage = { lists: readonly MemoryList[]; deleted?: { scope: MemoryScope; text: string } };
/** The entries of the memory of this workspace, of all workspaces, or those for similar tasks in this workspace. */
export type MemoryList = { scope: MemoryScope; entries: readonly MemoryEntry[] };
type MemoryScope = 'workspace' | 'user' | 'lessons';

/** The durable events of the newest runs. `earlierRuns` is the number of older runs that are not included. */
export type ReplayPage = { events: readonly AgentEvent[]; earlierRuns: number };
/** `range` is the number of days that are shown, or 0 for all. `everywhere` is set if the sessions of all workspaces are counted. */
export type InsightsPage = { range: Range; everywhere?: true; insights: Insights };

const line = z.int().min(1);
const memoryScope = z.enum(['workspace', 'user', 'lessons']);
const memory = z.literal('memory');
const memoryRequests = [
  z.object({ page: memory, type: z.literal('open_memory'), scope: memoryScope, line: line.optional() }),
  z.object({
    page: memory,
    type: z.literal('delete_memory'),
    scope: memoryScope,
    entry: z.object({ line, text: z.string().max(200_000) }),
  }),
  /** Restores the entry that was deleted most recently. */
  z.object({ page: memory, type: z.literal('restore_memory') }),
] as const;

const insights = z.literal('insights');
const insightsRequests = [
  z.object({ page: insights, type: z.literal('choose_range'), range: z.literal(RANGES) }),
  /** Counts the sessions of all workspaces, or only of this one. */
  z.object({ page: insights, type: z.literal('count_workspaces'), everywhere: z.boolean() }),
  /** Opens the counts of the range as a CSV document that is not saved. */
  z.object({ page: insights, type: z.literal('export_insights') }),
] as const;

export const pageName = z.enum([
  'memory',
  'replay',
  'permissions',
  'servers',
  'insights',
  'sessions',
  'models',
  'documents',
  'agents',
]) satisfies z.ZodType<PageName>;
export const PageRequest = z.discriminatedUnion('type', [
  ...memoryRequests,
  ...permissionRequests,
  ...serverRequests,
  ...insightsRequests,
  ...sessionsRequests,
  ...modelsRequests,
  ...documentsRequests,
  ...agentsRequests,
]);
export type PageRequest = z.infer<typeof PageRequest>;
/** The requests of one page. */
export type RequestOf<P extends PageName> = Extract<PageRequest, { page: P }>;
