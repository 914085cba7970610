import { z } from 'zod'
import {
  bodyWorkspace,
  clearable,
  DateTime,
  id,
  integer,
  label,
  orDefault,
  queryWorkspace,
  WorkspaceQuery,
} from './fields.ts'
import { WeightedAgent, WeightedAgentList } from './number-agent.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { TimeRouting, TimeRoutingInput } from './time-routing.ts'

/** Phone numbers and the agents that answer and call from them. */

/** Who carries the calls of a number. `loopback` numbers exist inside of the server only. */
export const NUMBER_PROVIDERS = ['loopback', 'twilio', 'telnyx', 'jambonz', 'sip'] as const
const PROVIDER = { description: 'Who carries its calls; `loopback` numbers exist inside of the server only.' }
export const NumberProvider = z.enum(NUMBER_PROVIDERS).meta({ id: 'NumberProvider' })
export type NumberProvider = z.infer<typeof NumberProvider>

/** Providers whose numbers may be short extensions of an own exchange. */
const CARRIERS_WITH_EXTENSIONS: ReadonlySet<NumberProvider> = new Set(['loopback', 'sip'])

const DEFAULT_AGENT = { description: 'Agent that answers when no inbound agent is bound; null for none.' }
const WEBHOOK = { description: 'Address that is asked for variables before a call is answered; null for none.' }
const STICKY = { description: 'A caller meets the same inbound agent again; otherwise chance decides each time.' }
const FALLBACK_NUMBER = { description: 'Number that is rung when no agent can answer; null for none.' }
const TIME_ROUTING_SWITCH = {
  description: 'Whether `time_routing` decides who answers; without windows there it has no effect.',
}
const TIME_ROUTING = {
  description: 'Which agent answers at which hours, while `is_time_routing_enabled` is true; null for none.',
}
const NICKNAME = { description: 'Name to know it by; null for none.' }

const routing = {
  account_sid: z.string().meta({ description: 'The account of its workspace.' }),
  workspace_id: z.int(),
  agent_id: z.string().nullable().meta({
    description: 'The inbound agent of the highest weight, else `default_agent_id`.',
  }),
  inbound_agent_id: z.string().nullable().meta({ description: 'The inbound agent when there is exactly one.' }),
  inbound_agents: z.array(WeightedAgent).meta({ description: 'Agents that share the calls to the number by weight.' }),
  outbound_agents: z
    .array(WeightedAgent)
    .meta({ description: 'The agent that calls from the number, with the weight 1; empty without one.' }),
  is_time_routing_enabled: z.boolean().meta(TIME_ROUTING_SWITCH),
  platform_import_error: z.boolean().meta({ description: 'The carrier does not send its calls here.' }),
  platform_import_error_message: z.string().nullable().meta({ description: 'Why not; null without an error.' }),
}

export const PhoneNumber = z
  .object({
    id: z.int().meta({ description: 'Counts up in the installation; paths take the number itself.' }),
    number: z.string().meta({ description: 'In E.164 form, or an extension.' }),
    base_number: z.string().meta({ description: 'Its digits.' }),
    ...routing,
    default_agent_id: z.string().nullable().meta(DEFAULT_AGENT),
    inbound_agent_version: z
      .int()
      .nullable()
      .meta({ description: 'Of `inbound_agent_id`; null follows the active one, or there is no such agent.' }),
    outbound_agent_version: z
      .int()
      .nullable()
      .meta({ description: 'Of the outbound agent; null follows the active one, or there is no such agent.' }),
    application_sid: z.string().meta({ description: 'A UUID, made with the number.' }),
    phone_number_sid: z.string().meta({ description: 'A UUID, made with the number.' }),
    inbound_webhook_url: z.string().nullable().meta(WEBHOOK),
    provider: NumberProvider.meta(PROVIDER),
    verified_by: z
      .enum(['carrier', 'operator', 'earlier'])
      .nullable()
      .meta({
        description:
          'Who confirmed that the number belongs to the account. `earlier`: it was registered before numbers had to be ' +
          'verified. Null: nobody, and calls of a carrier will not reach it.',
      }),
    nickname: z.string().nullable().meta(NICKNAME),
    sticky: z.boolean().meta(STICKY),
    time_routing: TimeRouting.nullable().meta(TIME_ROUTING),
    fallback_number: z.string().nullable().meta(FALLBACK_NUMBER),
    termination_uri: z
      .string()
      .nullable()
      .meta({ description: 'Where calls from this number are sent; null for none.' }),
    has_credentials: z.boolean().meta({ description: 'A user name and password for the carrier are stored.' }),
    created_at: DateTime,
    updated_at: DateTime,
  })
  .meta({ id: 'PhoneNumber' })
export type PhoneNumber = z.infer<typeof PhoneNumber>

export const NumberAssignment = z.object(routing).meta({ id: 'NumberAssignment' })
export type NumberAssignment = z.infer<typeof NumberAssignment>

const NUMBER_RULE = 'must be in E.164 form ("+" and 7 to 15 digits) or an extension of 2 to 6 digits'

/** Stored without the spaces, dots, dashes and brackets that people write between digits. */
const DialedNumber = z
  .string()
  .max(50, { abort: true })
  .transform((text) => text.replace(/[\s().-]/g, ''))
  .pipe(z.string().regex(/^(\+[1-9]\d{6,14}|\d{2,6})$/, NUMBER_RULE))

const WebhookUrl = z
  .string()
  .max(2048, { abort: true })
  .refine((url) => /^https?:\/\/[^/\s]\S*$/i.test(url) && URL.canParse(url), { error: 'must be an http or https URL' })
  .meta(WEBHOOK)
const TimeRoutingSwitch = z.boolean().meta(TIME_ROUTING_SWITCH)

const TerminationUri = z
  .string()
  .max(300, { abort: true })
  .regex(
    /^(sips?:)?([\w.+-]+@)?([A-Za-z0-9.-]+|\[[\dA-Fa-f:.]+\])(:\d{1,5})?(;transport=(udp|tcp|tls))?$/,
    'must be a SIP address such as "sip:trunk.example.com:5060;transport=tcp"',
  )

const Nickname = label().meta(NICKNAME)

const newNumber = {
  workspaceId: bodyWorkspace(),
  number: DialedNumber.meta({ description: 'E.164, or an extension of 2 to 6 digits for `loopback` and `sip`.' }),
  nickname: Nickname.nullable().default(null),
}

const isNumberValidForCarrier = ({ number, provider }: { number: string; provider: NumberProvider }): boolean =>
  number.startsWith('+') || CARRIERS_WITH_EXTENSIONS.has(provider)
const COUNTRY_CODE_REQUIRED = { path: ['number'], error: 'must begin with "+" and the country code at this provider' }

export const CreateNumberBody = z
  .object({ ...newNumber, provider: orDefault(NumberProvider.meta(PROVIDER), () => 'loopback' as const) })
  .refine(isNumberValidForCarrier, COUNTRY_CODE_REQUIRED)
  .meta({ id: 'CreateNumberBody' })
export type CreateNumberBody = z.output<typeof CreateNumberBody>

const Credential = z.string().min(1).max(500).nullable().default(null)

export const ImportNumberBody = z
  .object({
    ...newNumber,
    provider: orDefault(
      NumberProvider.meta({ description: 'Who carries its calls; not `loopback`, whose numbers are created.' }),
      () => 'sip' as const,
    ),
    terminationUri: TerminationUri.nullable().default(null).meta({
      description: 'Where calls from the number are sent; required for `sip`.',
    }),
    authUsername: Credential.meta({
      description: 'For the carrier or trunk, together with `authPassword`; never answered.',
    }),
    authPassword: Credential.meta({ description: 'Stored encrypted like `authUsername` and never answered.' }),
  })
  .refine(isNumberValidForCarrier, COUNTRY_CODE_REQUIRED)
  .refine(({ provider }) => provider !== 'loopback', {
    path: ['provider'],
    error: 'must be a carrier; numbers of "loopback" are created, not imported',
  })
  .refine(({ provider, terminationUri }) => provider !== 'sip' || terminationUri !== null, {
    path: ['terminationUri'],
    error: 'is required for the provider "sip"',
  })
  .refine(({ authUsername, authPassword }) => (authUsername === null) === (authPassword === null), {
    path: ['authPassword'],
    error: 'must be given together with "authUsername"',
  })
  .meta({ id: 'ImportNumberBody' })
export type ImportNumberBody = z.output<typeof ImportNumberBody>

export const AssignNumberAgentsBody = z
  .object({
    workspaceId: bodyWorkspace(),
    accountSid: z.string().max(200).nullable().optional().meta({
      description: 'The account of the workspace; refused when it is another one.',
    }),
    outboundAgentId: id().nullable().optional().meta({
      description: 'Agent of the workspace that calls from the number; null removes it.',
    }),
    outboundAgentVersion: integer(1)
      .nullable()
      .optional()
      .meta({
        description:
          'Version that its calls stay on; null, or absent beside `outboundAgentId`, follows the active one. Alone it changes ' +
          'that of the bound agent.',
      }),
    inboundAgents: clearable(WeightedAgentList, () => []).meta({
      description: 'Agents that share the calls to the number, at most 20; their weights add up to 1.',
    }),
    inboundWebhookUrl: WebhookUrl.nullable().optional(),
    isTimeRoutingEnabled: clearable(TimeRoutingSwitch, () => false),
  })
  .meta({
    id: 'AssignNumberAgentsBody',
    description: 'Absent fields stay as they are; null or an empty list removes a binding.',
  })
export type AssignNumberAgentsBody = z.output<typeof AssignNumberAgentsBody>

export const NumberAssigned = z
  .object({
    success: z.boolean().meta({ description: 'Always true; a refusal is an error.' }),
    message: z.string().meta({ description: 'Sentences: what was done and what does not work yet.' }),
    numbers: z.array(PhoneNumber).meta({ description: 'The numbers that the request was about: one.' }),
    assignment: NumberAssignment.meta({ description: 'Who answers and calls from now on.' }),
  })
  .meta({ id: 'NumberAssigned' })
export type NumberAssigned = z.infer<typeof NumberAssigned>

export const UpdateNumberBody = z
  .object({
    workspaceId: bodyWorkspace(),
    nickname: Nickname.nullable().optional(),
    default_agent_id: id().nullable().optional().meta(DEFAULT_AGENT),
    sticky: clearable(z.boolean().meta({ description: `${STICKY.description} True by default.` }), () => true),
    inbound_webhook_url: WebhookUrl.nullable().optional(),
    is_time_routing_enabled: clearable(TimeRoutingSwitch, () => false),
    time_routing: TimeRoutingInput.nullable().optional().meta(TIME_ROUTING),
    fallback_number: DialedNumber.nullable().optional().meta(FALLBACK_NUMBER),
  })
  .meta({ id: 'UpdateNumberBody', description: 'Absent fields stay as they are, null returns one to its default.' })
export type UpdateNumberBody = z.output<typeof UpdateNumberBody>

const NumberPath = z.object({
  number: id().meta({ description: 'The number; only its digits count, so that `+` needs no escape.' }),
})
const TAG = 'Phone Numbers'

export const assignNumberAgents = defineOperation({
  name: 'assignNumberAgents',
  method: 'PUT',
  path: '/api/numbers/{number}/agent',
  tag: TAG,
  summary: 'Assign agents to a phone number',
  description:
    'Assigns, changes or removes the agents that answer a number and call from it. Several inbound agents share the ' +
    'calls by weight. A number of another workspace of the account moves to this one. A number that its carrier could ' +
    'not import is bound all the same and says so in `platform_import_error`.',
  access: 'write',
  workspace: 'body',
  pathParameters: NumberPath,
  body: AssignNumberAgentsBody,
  status: 200,
  result: NumberAssigned,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const listNumbers = defineOperation({
  name: 'listNumbers',
  method: 'GET',
  path: '/api/numbers',
  tag: TAG,
  summary: 'List phone numbers',
  description: 'Newest first; with `agentId` only those that name the agent.',
  access: 'read',
  workspace: 'query',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    workspaceId: queryWorkspace(),
    agentId: id().optional().meta({ description: 'Only numbers that name this agent.' }),
  }),
  status: 200,
  result: z.array(PhoneNumber),
  features: ['paged'],
})

export const createNumber = defineOperation({
  name: 'createNumber',
  method: 'POST',
  path: '/api/numbers',
  tag: TAG,
  summary: 'Create a phone number',
  description:
    'Makes a number known, so that agents can be assigned to it. An account has a number once. Several accounts may ' +
    'register the same number; it belongs to the one that has it verified.',
  access: 'write',
  workspace: 'body',
  body: CreateNumberBody,
  status: 201,
  result: PhoneNumber,
  errors: ['id_taken'],
  features: ['etag'],
})

export const importNumber = defineOperation({
  name: 'importNumber',
  method: 'POST',
  path: '/api/numbers/import',
  tag: TAG,
  summary: 'Import a phone number of a carrier',
  description: 'Like creating it, with what is needed to reach the carrier or SIP trunk that the number comes from.',
  access: 'write',
  workspace: 'body',
  body: ImportNumberBody,
  status: 201,
  result: PhoneNumber,
  errors: ['id_taken'],
  features: ['etag'],
})

export const verifyNumber = defineOperation({
  name: 'verifyNumber',
  method: 'POST',
  path: '/api/numbers/{number}/verify',
  tag: TAG,
  summary: 'Verify a phone number as the operator',
  description:
    'Confirms that the number belongs to the account of the workspace. Another account that has it verified keeps its ' +
    'registration, unverified.',
  access: 'providers',
  workspace: 'body',
  pathParameters: NumberPath,
  body: z.object({ workspaceId: bodyWorkspace() }).meta({ id: 'VerifyNumberBody' }),
  status: 200,
  result: PhoneNumber,
  errors: ['not_found'],
})

export const getNumber = defineOperation({
  name: 'getNumber',
  method: 'GET',
  path: '/api/numbers/{number}',
  tag: TAG,
  summary: 'Read a phone number',
  description: 'Answers the number with its agents.',
  access: 'read',
  workspace: 'query',
  pathParameters: NumberPath,
  query: WorkspaceQuery,
  status: 200,
  result: PhoneNumber,
  errors: ['not_found'],
  features: ['etag'],
})

export const updateNumber = defineOperation({
  name: 'updateNumber',
  method: 'PATCH',
  path: '/api/numbers/{number}',
  tag: TAG,
  summary: 'Change a phone number',
  description: 'Changes what the assignment of agents leaves alone, and both settings that it shares with it.',
  access: 'write',
  workspace: 'body',
  pathParameters: NumberPath,
  body: UpdateNumberBody,
  status: 200,
  result: PhoneNumber,
  errors: ['not_found', 'version_conflict'],
  features: ['etag'],
})

export const deleteNumber = defineOperation({
  name: 'deleteNumber',
  method: 'DELETE',
  path: '/api/numbers/{number}',
  tag: TAG,
  summary: 'Delete a phone number',
  description: 'Removes the number with its bindings for good. It stays with its carrier.',
  access: 'write',
  workspace: 'query',
  pathParameters: NumberPath,
  query: WorkspaceQuery,
  status: 204,
  errors: ['not_found', 'version_conflict'],
})
