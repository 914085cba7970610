import { z } from 'zod'
import { CallLatency } from './call-latency.ts'
import { AgentPath, customDataFields, FreeObject, variableFields } from './conversation-fields.ts'
import { DisconnectionReason } from './disconnection-reason.ts'
import { DateTime, id, orDefault, queryInteger, queryWorkspace } from './fields.ts'
import { describedObject, namedObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** Calls: records of spoken conversations, during and after them. */

const CALL_TYPES = ['web_call', 'phone_call'] as const
export const CALL_STATUSES = ['registered', 'ongoing', 'ended', 'not_connected', 'error'] as const
export const CallStatus = z.enum(CALL_STATUSES).meta({ id: 'CallStatus' })
export type CallStatus = z.infer<typeof CallStatus>

export const CallDirection = z
  .enum(['inbound', 'outbound'])
  .nullable()
  .describe('Direction of a phone call; null for web calls.')
export const CallSentiment = z
  .enum(['Positive', 'Neutral', 'Negative', 'Unknown'])
  .nullable()
  .describe('Sentiment of the caller; null until the call is analyzed.')

const Amount = z.number().nullable()
/** US dollars with six decimals. Unknown amounts are null, never estimated. */
export const CallCosts = describedObject('CallCosts', 'US dollars; null if a price or quantity is unknown.', {
  voice: Amount,
  llm: Amount,
  gross: Amount.describe('Sum of all parts.'),
  total: Amount.describe('Charged amount, with the markup of the provider.'),
})
export type CallCosts = z.infer<typeof CallCosts>

const CallCostItem = namedObject('CallCostItem', {
  product: z.string().describe('Billed product, such as `llm` or `telephony`.'),
  model: z.string().nullable(),
  quantity: z.number(),
  unit: z.string().describe('Unit of `quantity`, such as `token` or `second`.'),
  cost: Amount.describe('US dollars; null if unknown.'),
})

export const Call = namedObject('Call', {
  callId: z.string(),
  workspaceId: z.int(),
  callType: z.enum(CALL_TYPES),
  status: CallStatus,
  agentId: z.string().describe('ID of the first agent.'),
  agentVersion: z.int(),
  agentName: z.string().describe('Name of the agent when the call was created. Kept if the agent is deleted.'),
  agentPath: AgentPath,
  direction: CallDirection,
  fromNumber: z.string().nullable().describe('Number of the calling party; null without a number.'),
  toNumber: z.string().nullable().describe('Number of the called party; null without a number.'),
  ...customDataFields,
  ...variableFields,
  optOutSensitiveDataStorage: z
    .boolean()
    .describe('Whether the transcript, recording and variables are discarded after the call.'),
  accessToken: z
    .string()
    .nullable()
    .describe(
      'Token for joining a web call once; null without the `calls` right or when the call no longer waits ' +
        'for its caller.',
    ),
  expiresAt: DateTime.nullable().describe('Time until which the call can be joined.'),
  webCallUrl: z.string().nullable().describe('URL of a page that joins the call; null like `accessToken`.'),
  createdAt: DateTime,
  startedAt: DateTime.nullable().describe('Time when the call started; null until then.'),
  endedAt: DateTime.nullable().describe('Time when the call ended; null until then.'),
  durationMs: z.int().nullable().describe('Duration in milliseconds; null for a call that never started.'),
  disconnectionReason: DisconnectionReason.nullable().describe('Why the call ended; null until then.'),
  transcript: z.string().describe('Transcript with lines `Agent: …` and `User: …`.'),
  sentiment: CallSentiment,
  successful: z.boolean().nullable().describe('Whether the call was successful; null until it is analyzed.'),
  summary: z.string().nullable().describe('Summary of the call; null until it is analyzed.'),
  customAnalysisData: FreeObject.describe('Results of custom analysis items; empty until the call is analyzed.'),
  latency: CallLatency,
  recordingUrl: z.string().nullable().describe('Signed link to the recording; null without one.'),
  costs: CallCosts,
  costBreakdown: z.array(CallCostItem).describe('Items of `costs`, without markup.'),
  parentCallId: z.string().nullable().describe('ID of the call that this call was split or transferred from.'),
  archivedAt: DateTime.nullable().describe('Time when the call was archived; null if it is not.'),
})
export type Call = z.infer<typeof Call>

/** An item of a list, without the transcript, which may be long. */
export const CallSummary = Call.omit({ transcript: true }).meta({ id: 'CallSummary' })
export type CallSummary = z.infer<typeof CallSummary>

/** Query fields of both lists of calls. */
export const callListQuery = z.object({
  workspaceId: queryWorkspace().describe('ID of the workspace. Defaults to all workspaces that you can access.'),
  agentId: id().optional().describe('Only calls of this agent.'),
  status: CallStatus.optional().describe('Only calls with this status.'),
  startDate: StartDate.optional().describe('Only calls created at or after this time.'),
  endDate: EndDate.optional().describe(
    'Only calls created at or before this time. A date without a time includes the whole day.',
  ),
  page: queryInteger(1, 2_147_483_647).default(1).describe('Page number, starting at 1.'),
  limit: queryInteger(1, 100).default(20).describe('Maximum number of calls to return.'),
})

const Success = z.literal(true)
export const OneCall = namedObject('CallAnswer', { success: Success, call: Call })
export const CallPath = z.object({ callId: id().describe('ID of the call (`call_…`).') })
const TAG = 'Calls'

export const listCalls = defineOperation({
  name: 'listCalls',
  route: 'GET /api/v1/calls',
  tag: TAG,
  summary: 'List calls',
  description: 'Returns calls without transcripts, newest first. Archived calls are only included in the call history.',
  access: 'read',
  workspace: 'optional',
  query: callListQuery,
  result: namedObject('CallList', {
    success: Success,
    calls: z.array(CallSummary),
    pagination: z
      .object({ page: z.int(), limit: z.int(), total: z.int() })
      .describe('`total` is the number of calls on all pages.'),
  }),
})

export const getCall = defineOperation({
  name: 'getCall',
  route: 'GET /api/v1/calls/{callId}',
  tag: TAG,
  summary: 'Get a call',
  description:
    'Returns a call with its transcript so far. The workspace is inferred from the call. A call whose token ' +
    'expires unused gets the status `not_connected`.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: OneCall,
})

export const archiveCall = defineOperation({
  name: 'archiveCall',
  route: 'POST /api/v1/calls/{callId}/archive',
  tag: TAG,
  summary: 'Archive a call',
  description: 'Hides a call from lists, or restores it with `"archived": false`. No data is deleted.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  body: namedObject('ArchiveCallBody', {
    archived: orDefault(z.boolean().describe('Whether the call is hidden from lists. Defaults to true.'), () => true),
  }),
  result: OneCall,
})

export const deleteCall = defineOperation({
  name: 'deleteCall',
  route: 'DELETE /api/v1/calls/{callId}',
  tag: TAG,
  summary: 'Delete a call',
  description:
    'Permanently deletes a call with its events and recording. Fails with `in_use` while the call is registered ' +
    'or ongoing; end it first.',
  access: 'admin',
  workspace: 'inferred',
  pathParameters: CallPath,
  errors: ['in_use'],
})
