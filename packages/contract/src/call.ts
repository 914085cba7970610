import { z } from 'zod'
import { CallLatency } from './call-latency.ts'
import { AgentPath, customDataFields, FreeObject, variableFields } from './conversation-fields.ts'
import { DisconnectionReason } from './disconnection-reason.ts'
import { DateTime, id, orDefault, queryInteger, queryWorkspace } from './fields.ts'
import { defineDescribedObject, defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** Calls: records of spoken conversations, both live and ended. */

const CALL_TYPES = ['web_call', 'phone_call'] as const
export const CALL_STATUSES = ['registered', 'ongoing', 'ended', 'not_connected', 'error'] as const
export const CallStatus = z.enum(CALL_STATUSES).meta({ id: 'CallStatus' })
export type CallStatus = z.infer<typeof CallStatus>

export const CallDirection = z
  .enum(['inbound', 'outbound'])
  .nullable()
  .describe('Direction of a phone call, or null for web calls.')
export const CallSentiment = z
  .enum(['Positive', 'Neutral', 'Negative', 'Unknown'])
  .nullable()
  .describe('Sentiment of the caller, or null until the call is analyzed.')

const Amount = z.number().nullable()
/** US dollars with six decimals. Unknown amounts are null, never estimated. */
export const CallCosts = defineDescribedObject(
  'CallCosts',
  'Amounts in US dollars, or null if a price or quantity is unknown.',
  {
    voice: Amount.describe('Speech recognition and synthesis.'),
    llm: Amount.describe('Language models.'),
    gross: Amount.describe('Sum of all parts.'),
    total: Amount.describe('Total charge, including the provider’s markup.'),
  },
)
export type CallCosts = z.infer<typeof CallCosts>

const CallCostItem = defineObject('CallCostItem', {
  product: z.string().describe('Billed product, such as `llm` or `telephony`.'),
  model: z.string().nullable().describe('Name of the model or voice, or null for other products.'),
  quantity: z.number().describe('Amount in `unit`.'),
  unit: z.string().describe('Unit of `quantity`, such as `token` or `second`.'),
  cost: Amount.describe('Cost in US dollars, or null if it is unknown.'),
})

export const Call = defineObject('Call', {
  callId: z.string(),
  workspaceId: z.int(),
  callType: z.enum(CALL_TYPES),
  status: CallStatus,
  agentId: z.string().describe('ID of the first agent.'),
  agentVersion: z.int().describe('Version of the first agent.'),
  agentName: z
    .string()
    .describe('Name of the agent when the call was created. The name is kept if the agent is deleted.'),
  agentPath: AgentPath,
  direction: CallDirection,
  fromNumber: z.string().nullable().describe('Phone number of the calling party, or null if there is none.'),
  toNumber: z.string().nullable().describe('Phone number of the called party, or null if there is none.'),
  ...customDataFields,
  ...variableFields,
  optOutSensitiveDataStorage: z
    .boolean()
    .describe('Whether the transcript, recording and variables are discarded after the call.'),
  accessToken: z
    .string()
    .nullable()
    .describe(
      'Single-use token for joining a web call. Null if you do not have the `calls` right, or if the call no longer waits ' +
        'for its caller.',
    ),
  expiresAt: DateTime.nullable().describe('Deadline for joining the call.'),
  webCallUrl: z.string().nullable().describe('URL of a page that joins the call, or null if `accessToken` is null.'),
  createdAt: DateTime,
  startedAt: DateTime.nullable().describe('Time when the call started, or null if it has not started.'),
  endedAt: DateTime.nullable().describe('Time when the call ended, or null if it has not ended.'),
  durationMs: z.int().nullable().describe('Duration in milliseconds, or null if the call never started.'),
  disconnectionReason: DisconnectionReason.nullable().describe(
    'Reason why the call ended, or null if it has not ended.',
  ),
  transcript: z.string().describe('Transcript with lines `Agent: …` and `User: …`.'),
  sentiment: CallSentiment,
  successful: z.boolean().nullable().describe('Whether the call was successful, or null until it is analyzed.'),
  summary: z.string().nullable().describe('Summary of the call, or null until it is analyzed.'),
  customAnalysisData: FreeObject.describe('Results of custom analysis items. Empty until the call is analyzed.'),
  latency: CallLatency,
  recordingUrl: z.string().nullable().describe('Signed link to the recording, or null if there is none.'),
  costs: CallCosts,
  costBreakdown: z.array(CallCostItem).describe('Items that make up `costs`, without markup.'),
  parentCallId: z.string().nullable().describe('ID of the call that this call was split or transferred from.'),
  archivedAt: DateTime.nullable().describe('Time when the call was archived, or null if it is not archived.'),
})
export type Call = z.infer<typeof Call>

/** A list item, which omits the transcript because of its size. */
export const CallSummary = Call.omit({ transcript: true }).meta({ id: 'CallSummary' })
export type CallSummary = z.infer<typeof CallSummary>

/** Query fields of both call lists. */
export const callListQuery = z.object({
  workspaceId: queryWorkspace().describe('ID of the workspace. Defaults to all workspaces that you can access.'),
  agentId: id().optional().describe('Return only calls of this agent.'),
  status: CallStatus.optional().describe('Return only calls with this status.'),
  startDate: StartDate.optional().describe('Return only calls created at or after this time.'),
  endDate: EndDate.optional().describe(
    'Return only calls created at or before this time. A date without a time includes the whole day.',
  ),
  page: queryInteger(1, 2_147_483_647).default(1).describe('Page number, starting at 1.'),
  limit: queryInteger(1, 100).default(20).describe('Maximum number of calls to return.'),
})

const SuccessFlag = z.literal(true)
export const CallResponse = defineObject('CallAnswer', { success: SuccessFlag, call: Call })
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
  result: defineObject('CallList', {
    success: SuccessFlag,
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
    'Returns a call with its current transcript. The workspace is inferred from the call. If a call token ' +
    'expires unused, the call gets the status `not_connected`.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  result: CallResponse,
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
  body: defineObject('ArchiveCallBody', {
    archived: orDefault(z.boolean().describe('Whether the call is hidden from lists. Defaults to true.'), () => true),
  }),
  result: CallResponse,
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
