import { z } from 'zod'
import { Call, CallCosts, CallDirection, CallSentiment, CallStatus, callListQuery } from './call.ts'
import { queryInteger } from './fields.ts'
import { defineOperation } from './operation.ts'

/** A call as the history shows it: what a person looks through. */
export const CallHistoryItem = z
  .object({
    callSid: z.string().meta({ description: 'Id of the call at the carrier; `callId` where there is no carrier.' }),
    callId: z.string(),
    callStatus: CallStatus,
    agentId: z.string(),
    agentVersion: z.int().meta({ description: 'As it was when the call was made.' }),
    agentName: z.string(),
    workspaceId: z.int(),
    workspaceName: z.string(),
    fromNumber: Call.shape.fromNumber,
    toNumber: Call.shape.toNumber,
    direction: CallDirection,
    customerName: z.string().nullable(),
    duration: z.int().nullable().meta({ description: 'Whole seconds; null for a call that never began.' }),
    durationMs: Call.shape.durationMs,
    disconnectionReason: Call.shape.disconnectionReason,
    startedAt: Call.shape.startedAt,
    recordingUrl: Call.shape.recordingUrl,
    sentiment: CallSentiment,
    successful: Call.shape.successful,
    summary: Call.shape.summary,
    latencyP50Ms: z.number().nullable().meta({
      description: 'Median wait for an answer in milliseconds (`latency.e2e.p50` of the call); null without answers.',
    }),
    costs: CallCosts,
    archivedAt: Call.shape.archivedAt,
    parentCallId: Call.shape.parentCallId,
  })
  .meta({ id: 'CallHistoryItem' })
export type CallHistoryItem = z.infer<typeof CallHistoryItem>

const QueryFlag = z
  .enum(['true', 'false', '1', '0'])
  .transform((word) => word === 'true' || word === '1')
  .pipe(z.boolean())
  .default(false)

export const listCallHistory = defineOperation({
  name: 'listCallHistory',
  method: 'GET',
  path: '/api/v1/calls/history',
  tag: 'Calls',
  summary: 'Look through the history of calls',
  description:
    'Newest first. `total` and `pages` are exact. A search of one or two characters looks through the newest 10,000 ' +
    'calls that the other filters leave, and counts those it finds there.',
  access: 'read',
  workspace: 'optional',
  query: callListQuery.extend({
    agentVersion: queryInteger(1, 2_147_483_647)
      .optional()
      .meta({ description: 'Version of the agent when the call was made.' }),
    search: z.string().max(200).optional().meta({
      description: 'Text in the id of the carrier, the call id, a phone number, the name of the customer or the agent.',
    }),
    includeArchived: QueryFlag.meta({ description: 'Shows archived calls as well.' }),
    includeChildCalls: QueryFlag.meta({
      description: 'Shows calls as well that others were split or transferred into.',
    }),
  }),
  status: 200,
  result: z
    .object({
      success: z.literal(true),
      calls: z.array(CallHistoryItem),
      pagination: z
        .object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() })
        .meta({ description: '`total` counts the calls of all pages, `pages` the pages.' }),
    })
    .meta({ id: 'CallHistory' }),
})
