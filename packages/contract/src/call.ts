import { z } from 'zod'
import { CallLatency } from './call-latency.ts'
import { DisconnectionReason } from './disconnection-reason.ts'
import { DateTime, id, OverrideMap, orDefault, queryInteger, queryWorkspace, StringMap } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** Calls as records: what is kept of a spoken conversation while it lives and after it. */

const CALL_TYPES = ['web_call', 'phone_call'] as const
export const CALL_STATUSES = ['registered', 'ongoing', 'ended', 'not_connected', 'error'] as const
export const CallStatus = z.enum(CALL_STATUSES).meta({ id: 'CallStatus' })
export type CallStatus = z.infer<typeof CallStatus>

export const CallDirection = z
  .enum(['inbound', 'outbound'])
  .nullable()
  .meta({ description: 'Null for web calls, which have none.' })
export const CallSentiment = z
  .enum(['Positive', 'Neutral', 'Negative', 'Unknown'])
  .nullable()
  .meta({ description: 'Null until the call was analysed.' })

const Amount = z.number().nullable()
/** US dollars to six decimals; null where a price or the use is not known, never guessed. */
export const CallCosts = z
  .object({
    voice: Amount,
    llm: Amount,
    gross: Amount.meta({ description: 'All parts together.' }),
    total: Amount.meta({ description: 'What is charged: with the markup of the provider.' }),
  })
  .meta({ id: 'CallCosts', description: 'US dollars; null where a price or the use is not known.' })
export type CallCosts = z.infer<typeof CallCosts>

const CallCostItem = z
  .object({
    product: z.string().meta({ description: 'What was used, for example `llm` or `telephony`.' }),
    model: z.string().nullable(),
    quantity: z.number(),
    unit: z.string().meta({ description: 'What `quantity` counts, for example `token` or `second`.' }),
    cost: Amount.meta({ description: 'US dollars; null where it is not known.' }),
  })
  .meta({ id: 'CallCostItem' })

const FreeObject = z.record(z.string(), z.unknown())

export const Call = z
  .object({
    callId: z.string(),
    workspaceId: z.int(),
    callType: z.enum(CALL_TYPES),
    status: CallStatus,
    agentId: z.string().meta({ description: 'The agent that the call began with.' }),
    agentVersion: z.int(),
    agentName: z.string().meta({ description: 'As it was when the call was made; it outlives the agent.' }),
    agentPath: z
      .array(z.object({ agentId: z.string(), agentVersion: z.int(), at: DateTime }))
      .meta({ description: 'Agents that held the call, in order.' }),
    direction: CallDirection,
    fromNumber: z.string().nullable().meta({ description: 'Who called; null without a number.' }),
    toNumber: z.string().nullable().meta({ description: 'Who was called; null without a number.' }),
    metadata: FreeObject.meta({ description: 'Data of your own.' }),
    customAttributes: FreeObject.meta({ description: 'More data of your own.' }),
    service_dynamic_variables: StringMap.meta({ description: 'Given when the call was created.' }),
    collectedDynamicVariables: StringMap.meta({ description: 'Collected during the call.' }),
    overrideDynamicVariables: OverrideMap.meta({
      description: 'Set later; they win over all others. Null: without a value.',
    }),
    optOutSensitiveDataStorage: z
      .boolean()
      .meta({ description: 'Neither transcript, recording nor variables are kept after the call.' }),
    accessToken: z
      .string()
      .nullable()
      .meta({
        description:
          'Joins a web call, once. Null for callers without the right `calls`, and as soon as the call does not wait for ' +
          'its caller any more.',
      }),
    expiresAt: DateTime.nullable().meta({ description: 'Until when the call can be joined.' }),
    webCallUrl: z.string().nullable().meta({ description: 'A page that joins the call; null like `accessToken`.' }),
    createdAt: DateTime,
    startedAt: DateTime.nullable().meta({ description: 'Null for a call that has not begun.' }),
    endedAt: DateTime.nullable().meta({ description: 'Null until the call is over.' }),
    durationMs: z.int().nullable().meta({ description: 'Null for a call that never began.' }),
    disconnectionReason: DisconnectionReason.nullable().meta({ description: 'Why the call ended; null until then.' }),
    transcript: z.string().meta({ description: 'Lines `Agent: …` and `User: …`.' }),
    sentiment: CallSentiment,
    successful: z.boolean().nullable().meta({ description: 'Null until the call was analysed.' }),
    summary: z.string().nullable().meta({ description: 'Null until the call was analysed.' }),
    customAnalysisData: FreeObject.meta({
      description: 'What was found out of questions of your own; empty until then.',
    }),
    latency: CallLatency,
    recordingUrl: z.string().nullable().meta({ description: 'Null without a recording.' }),
    costs: CallCosts,
    costBreakdown: z.array(CallCostItem).meta({ description: 'The parts of `costs`, without the markup.' }),
    parentCallId: z.string().nullable().meta({ description: 'The call that this one was split or transferred from.' }),
    archivedAt: DateTime.nullable().meta({ description: 'Null unless the call is archived.' }),
  })
  .meta({ id: 'Call' })
export type Call = z.infer<typeof Call>

/** A call in a list: without its transcript, which may be long. */
export const CallSummary = Call.omit({ transcript: true }).meta({ id: 'CallSummary' })
export type CallSummary = z.infer<typeof CallSummary>

/** Query fields that both lists of calls have. */
export const callListQuery = z.object({
  workspaceId: queryWorkspace().meta({ description: 'Only its calls; otherwise those of every workspace you reach.' }),
  agentId: id().optional().meta({ description: 'Only calls with this `agentId`.' }),
  status: CallStatus.optional().meta({ description: 'Only calls in this status.' }),
  startDate: StartDate.optional().meta({ description: 'Only calls created at or after this time.' }),
  endDate: EndDate.optional().meta({
    description: 'Only calls created at or before this time; a bare date includes its whole day.',
  }),
  page: queryInteger(1, 2_147_483_647).default(1).meta({ description: 'Which page, counted from 1.' }),
  limit: queryInteger(1, 100).default(20).meta({ description: 'Most calls in one answer.' }),
})

const Success = z.literal(true)
export const OneCall = z.object({ success: Success, call: Call }).meta({ id: 'CallAnswer' })
export const CallPath = z.object({ callId: id().meta({ description: 'The call, `call_…`.' }) })
const TAG = 'Calls'

export const listCalls = defineOperation({
  name: 'listCalls',
  method: 'GET',
  path: '/api/v1/calls',
  tag: TAG,
  summary: 'List calls',
  description: 'Newest first, without transcripts. Archived calls are left out; the history can show them.',
  access: 'read',
  workspace: 'optional',
  query: callListQuery,
  status: 200,
  result: z
    .object({
      success: Success,
      calls: z.array(CallSummary),
      pagination: z
        .object({ page: z.int(), limit: z.int(), total: z.int() })
        .meta({ description: '`total` counts the calls of all pages.' }),
    })
    .meta({ id: 'CallList' }),
})

export const getCall = defineOperation({
  name: 'getCall',
  method: 'GET',
  path: '/api/v1/calls/{callId}',
  tag: TAG,
  summary: 'Read a call',
  description:
    'The call with its transcript, so far while it is ongoing. Its workspace follows from the call. A call whose token ran ' +
    'out unused has the status `not_connected`.',
  access: 'read',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 200,
  result: OneCall,
  errors: ['not_found'],
})

export const archiveCall = defineOperation({
  name: 'archiveCall',
  method: 'POST',
  path: '/api/v1/calls/{callId}/archive',
  tag: TAG,
  summary: 'Archive a call',
  description: 'Takes a call out of the lists, or back into them with `"archived": false`. Nothing of it is lost.',
  access: 'calls',
  workspace: 'inferred',
  pathParameters: CallPath,
  body: z
    .object({
      archived: orDefault(
        z.boolean().meta({ description: 'true takes the call out of the lists, false puts it back.' }),
        () => true,
      ),
    })
    .meta({ id: 'ArchiveCallBody' }),
  status: 200,
  result: OneCall,
  errors: ['not_found'],
})

export const deleteCall = defineOperation({
  name: 'deleteCall',
  method: 'DELETE',
  path: '/api/v1/calls/{callId}',
  tag: TAG,
  summary: 'Delete a call',
  description:
    'Removes a call for good with all that was kept of it, its events and its recording. Refused while the call is ' +
    'registered or ongoing: end it first.',
  access: 'admin',
  workspace: 'inferred',
  pathParameters: CallPath,
  status: 204,
  errors: ['not_found', 'in_use'],
})
