import { z } from 'zod'
import { queryWorkspace } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** Conversation volume, cost and quality. */

const USAGE_GROUPS = ['day', 'agent', 'workspace'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

/** Maximum number of days in a request. */
export const USAGE_LIMIT_DAYS = 366

export const Usage = defineObject('Usage', {
  key: z.string().describe('UTC day (`2026-01-31`), agent ID or workspace ID.'),
  calls: z.int(),
  chats: z.int(),
  minutes: z.number().describe('Call minutes with two decimals.'),
  cost: z
    .number()
    .describe(
      'Cost in US dollars with six decimals: charges for calls and for models in chats. Items without a known ' +
        'price are excluded.',
    ),
  successRate: z
    .number()
    .nullable()
    .describe('Share of successful calls among analyzed calls, from 0 to 1, or null if there are no analyzed calls.'),
  latencyP50Ms: z
    .number()
    .nullable()
    .describe(
      'Median latency in milliseconds, from a chat message to the first text of the answer, or from the caller’s ' +
        'last word to the first audio. For calls, based on the statistics of each call. Null if there are no answers.',
    ),
  latencyP95Ms: z.number().nullable().describe('95th percentile of the latency in milliseconds.'),
  errors: z.int().describe('Number of calls that ended with an error, plus failed chat turns.'),
})
export type Usage = z.infer<typeof Usage>

export const getUsage = defineOperation({
  name: 'getUsage',
  route: 'GET /api/usage',
  tag: 'Usage',
  summary: 'Get usage',
  description:
    'Returns metrics of the calls and chats that started in the range, by default the last 30 days, sorted by ' +
    `key. Keys without calls and chats are omitted. A range can have at most ${USAGE_LIMIT_DAYS} days. Archived ` +
    'calls are included.',
  access: 'read',
  workspace: 'optional',
  query: z.object({
    workspaceId: queryWorkspace().describe('ID of the workspace. Defaults to all workspaces that you can access.'),
    startDate: StartDate.optional().describe('Start of the range (inclusive). Defaults to 30 days before its end.'),
    endDate: EndDate.optional().describe(
      'End of the range (inclusive). A date without a time includes the whole day. Defaults to now.',
    ),
    groupBy: z.enum(USAGE_GROUPS).default('day').describe('How to group the metrics: by UTC day, agent or workspace.'),
  }),
  result: z.array(Usage),
})
