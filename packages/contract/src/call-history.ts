import { z } from 'zod'
import { Call, CallCosts, CallDirection, CallSentiment, CallStatus, callListQuery } from './call.ts'
import { queryInteger } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'

/** A call in the call history. */
export const CallHistoryItem = defineObject('CallHistoryItem', {
  callSid: z.string().describe('ID of the call at the carrier, or `callId` if there is no carrier.'),
  callId: z.string(),
  callStatus: CallStatus,
  agentId: z.string(),
  agentVersion: z.int().describe('Version of the agent when the call was created.'),
  agentName: z.string(),
  workspaceId: z.int(),
  workspaceName: z.string(),
  fromNumber: Call.shape.fromNumber,
  toNumber: Call.shape.toNumber,
  direction: CallDirection,
  customerName: z.string().nullable(),
  duration: z.int().nullable().describe('Duration in whole seconds, or null if the call never started.'),
  durationMs: Call.shape.durationMs,
  disconnectionReason: Call.shape.disconnectionReason,
  startedAt: Call.shape.startedAt,
  recordingUrl: Call.shape.recordingUrl,
  sentiment: CallSentiment,
  successful: Call.shape.successful,
  summary: Call.shape.summary,
  latencyP50Ms: z
    .number()
    .nullable()
    .describe(
      'Median answer latency in milliseconds (`latency.e2e.p50` of the call), or null if there are no answers.',
    ),
  costs: CallCosts,
  archivedAt: Call.shape.archivedAt,
  parentCallId: Call.shape.parentCallId,
})
export type CallHistoryItem = z.infer<typeof CallHistoryItem>

const QueryFlag = z
  .enum(['true', 'false', '1', '0'])
  .transform((value) => value === 'true' || value === '1')
  .pipe(z.boolean())
  .default(false)

/** Sort orders of the call history. A leading `-` sorts in descending order. */
export const CALL_SORTS = ['-created', 'duration', '-duration', 'latency', '-latency', 'cost', '-cost'] as const
export type CallSort = (typeof CALL_SORTS)[number]

export const listCallHistory = defineOperation({
  name: 'listCallHistory',
  route: 'GET /api/v1/calls/history',
  tag: 'Calls',
  summary: 'List the call history',
  description:
    'Returns calls, newest first by default. The values of `total` and `pages` are exact. A search for one or two ' +
    'characters covers only the newest 10,000 calls that match the other filters. Sort orders other than `-created` ' +
    'cover only the newest 5,000.',
  access: 'read',
  workspace: 'optional',
  query: callListQuery.extend({
    agentVersion: queryInteger(1, 2_147_483_647).optional().describe('Return only calls with this agent version.'),
    search: z
      .string()
      .max(200)
      .optional()
      .describe('Text to find in the carrier ID, the call ID, a phone number, or the name of the customer or agent.'),
    sort: z
      .enum(CALL_SORTS)
      .default('-created')
      .describe(
        'Sort order. A leading `-` sorts in descending order. Calls without a value for the sort field come last.',
      ),
    includeArchived: QueryFlag.describe('Whether to include archived calls.'),
    includeChildCalls: QueryFlag.describe('Whether to include calls that other calls were split or transferred into.'),
  }),
  result: defineObject('CallHistory', {
    success: z.literal(true),
    calls: z.array(CallHistoryItem),
    pagination: z
      .object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() })
      .describe('`total` is the number of calls on all pages, and `pages` the number of pages.'),
  }),
})
