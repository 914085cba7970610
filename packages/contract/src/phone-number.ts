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
import { defineDescribedObject, defineObject, PATCH_DESCRIPTION } from './named-object.ts'
import { WeightedAgent, WeightedAgentList } from './number-agent.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { TimeRouting, TimeRoutingInput } from './time-routing.ts'

/** Phone numbers and their agents. */

/** Carriers of phone numbers. `loopback` numbers exist only inside the server. */
export const NUMBER_PROVIDERS = ['loopback', 'twilio', 'telnyx', 'jambonz', 'sip'] as const
const PROVIDER = 'Carrier of the number. `loopback` numbers exist only inside the server.'
export const NumberProvider = z.enum(NUMBER_PROVIDERS).meta({ id: 'NumberProvider' })
export type NumberProvider = z.infer<typeof NumberProvider>

/** Carriers whose numbers can be extensions of a private exchange. */
const CARRIERS_WITH_EXTENSIONS: ReadonlySet<NumberProvider> = new Set(['loopback', 'sip'])

const DEFAULT_AGENT = 'ID of the agent that answers if no inbound agent is assigned, or null if there is none.'
const WEBHOOK = 'URL that provides variables before a call is answered, or null if there is none.'
const STICKY = 'Whether returning callers get the same inbound agent. Otherwise, each call is assigned at random.'
const FALLBACK_NUMBER = 'Number to call if no agent can answer, or null if there is none.'
const TIME_ROUTING_SWITCH = 'Whether `time_routing` determines which agent answers. Has no effect without windows.'
const TIME_ROUTING = 'Agents by time of day and weekday, or null if `is_time_routing_enabled` is false.'
const NICKNAME = 'Display name, or null if there is none.'

const routingFields = {
  account_sid: z.string().describe('ID of the account that owns the workspace.'),
  workspace_id: z.int(),
  agent_id: z
    .string()
    .nullable()
    .describe('ID of the inbound agent with the highest weight, or `default_agent_id` if there is none.'),
  inbound_agent_id: z.string().nullable().describe('ID of the inbound agent, or null unless there is exactly one.'),
  inbound_agents: z.array(WeightedAgent).describe('Agents that share inbound calls by weight.'),
  outbound_agents: z
    .array(WeightedAgent)
    .describe('Agent that places outbound calls, with weight 1. Empty if there is none.'),
  is_time_routing_enabled: z.boolean().describe(TIME_ROUTING_SWITCH),
  platform_import_error: z.boolean().describe('Whether the carrier failed to route its calls to this server.'),
  platform_import_error_message: z
    .string()
    .nullable()
    .describe('Error message of the carrier, or null if there is none.'),
}

export const PhoneNumber = defineObject('PhoneNumber', {
  id: z.int().describe('Internal ID. Use the number in paths.'),
  number: z.string().describe('Number in E.164 format, or an extension.'),
  base_number: z.string().describe('Digits of the number.'),
  ...routingFields,
  default_agent_id: z.string().nullable().describe(DEFAULT_AGENT),
  inbound_agent_version: z
    .int()
    .nullable()
    .describe('Version of `inbound_agent_id`. If null, the active version is used or there is no such agent.'),
  outbound_agent_version: z
    .int()
    .nullable()
    .describe('Version of the outbound agent. If null, the active version is used or there is no such agent.'),
  application_sid: z.string().describe('UUID, generated with the number.'),
  phone_number_sid: z.string().describe('UUID, generated with the number.'),
  inbound_webhook_url: z.string().nullable().describe(WEBHOOK),
  provider: NumberProvider.describe(PROVIDER),
  verified_by: z
    .enum(['carrier', 'operator', 'earlier'])
    .nullable()
    .describe(
      'How the account’s ownership of the number was verified. `earlier` means that the number was registered before ' +
        'verification was required. If null, the number is unverified and does not receive calls from carriers.',
    ),
  nickname: z.string().nullable().describe(NICKNAME),
  sticky: z.boolean().describe(STICKY),
  time_routing: TimeRouting.nullable().describe(TIME_ROUTING),
  fallback_number: z.string().nullable().describe(FALLBACK_NUMBER),
  termination_uri: z.string().nullable().describe('SIP address for outbound calls, or null if there is none.'),
  has_credentials: z.boolean().describe('Whether carrier credentials are stored.'),
  created_at: DateTime,
  updated_at: DateTime,
})
export type PhoneNumber = z.infer<typeof PhoneNumber>

export const NumberAssignment = defineObject('NumberAssignment', routingFields)
export type NumberAssignment = z.infer<typeof NumberAssignment>

const NUMBER_RULE = 'must be in E.164 format ("+" and 7 to 15 digits) or an extension of 2 to 6 digits'

/** Phone number, stored without spaces, dots, dashes and parentheses between digits. */
const DialedNumber = z
  .string()
  .max(50, { abort: true })
  .transform((text) => text.replace(/[\s().-]/g, ''))
  .pipe(z.string().regex(/^(\+[1-9]\d{6,14}|\d{2,6})$/, NUMBER_RULE))

const WebhookUrl = z
  .string()
  .max(2048, { abort: true })
  .refine((url) => /^https?:\/\/[^/\s]\S*$/i.test(url) && URL.canParse(url), {
    error: 'must be an http:// or https:// URL',
  })
  .describe(WEBHOOK)
const TimeRoutingSwitch = z.boolean().describe(TIME_ROUTING_SWITCH)

const TerminationUri = z
  .string()
  .max(300, { abort: true })
  .regex(
    /^(sips?:)?([\w.+-]+@)?([A-Za-z0-9.-]+|\[[\dA-Fa-f:.]+\])(:\d{1,5})?(;transport=(udp|tcp|tls))?$/,
    'must be a SIP address such as "sip:trunk.example.com:5060;transport=tcp"',
  )

const Nickname = label().describe(NICKNAME)

const newNumberFields = {
  workspaceId: bodyWorkspace(),
  number: DialedNumber.describe('Number in E.164 format, or an extension of 2 to 6 digits for `loopback` and `sip`.'),
  nickname: Nickname.nullable().default(null),
}

const isNumberValidForCarrier = ({ number, provider }: { number: string; provider: NumberProvider }): boolean =>
  number.startsWith('+') || CARRIERS_WITH_EXTENSIONS.has(provider)
const COUNTRY_CODE_REQUIRED = { path: ['number'], error: 'must start with "+" and the country code for this provider' }

export const CreateNumberBody = z
  .object({ ...newNumberFields, provider: orDefault(NumberProvider.describe(PROVIDER), () => 'loopback' as const) })
  .refine(isNumberValidForCarrier, COUNTRY_CODE_REQUIRED)
  .meta({ id: 'CreateNumberBody' })
export type CreateNumberBody = z.output<typeof CreateNumberBody>

const Credential = z.string().min(1).max(500).nullable().default(null)

export const ImportNumberBody = z
  .object({
    ...newNumberFields,
    provider: orDefault(
      NumberProvider.describe('Carrier of the number. Must not be `loopback`; create `loopback` numbers instead.'),
      () => 'sip' as const,
    ),
    terminationUri: TerminationUri.nullable()
      .default(null)
      .describe('SIP address for outbound calls. Required for `sip`.'),
    authUsername: Credential.describe(
      'User name for the carrier or trunk. Requires `authPassword`. Stored encrypted and never returned.',
    ),
    authPassword: Credential.describe('Password for the carrier or trunk. Stored encrypted and never returned.'),
  })
  .refine(isNumberValidForCarrier, COUNTRY_CODE_REQUIRED)
  .refine(({ provider }) => provider !== 'loopback', {
    path: ['provider'],
    error: 'must be a carrier; create "loopback" numbers instead of importing them',
  })
  .refine(({ provider, terminationUri }) => provider !== 'sip' || terminationUri !== null, {
    path: ['terminationUri'],
    error: 'is required for the provider "sip"',
  })
  .refine(({ authUsername, authPassword }) => (authUsername === null) === (authPassword === null), {
    path: ['authPassword'],
    error: 'is required with "authUsername" and must not be given without it',
  })
  .meta({ id: 'ImportNumberBody' })
export type ImportNumberBody = z.output<typeof ImportNumberBody>

export const AssignNumberAgentsBody = defineDescribedObject(
  'AssignNumberAgentsBody',
  'Omitted fields do not change; null or an empty list removes an assignment.',
  {
    workspaceId: bodyWorkspace(),
    accountSid: z
      .string()
      .max(200)
      .nullable()
      .optional()
      .describe('ID of the account. Must match the account of the workspace.'),
    outboundAgentId: id()
      .nullable()
      .optional()
      .describe('ID of the agent that places outbound calls. Null removes it.'),
    outboundAgentVersion: integer(1)
      .nullable()
      .optional()
      .describe(
        'Version for outbound calls. If null, or omitted with `outboundAgentId`, the active version is used. ' +
          'Without `outboundAgentId`, changes the version of the assigned agent.',
      ),
    inboundAgents: clearable(WeightedAgentList, () => []).describe(
      'Agents that share inbound calls, at most 20. Their weights add up to 1.',
    ),
    inboundWebhookUrl: WebhookUrl.nullable().optional(),
    isTimeRoutingEnabled: clearable(TimeRoutingSwitch, () => false),
  },
)
export type AssignNumberAgentsBody = z.output<typeof AssignNumberAgentsBody>

export const NumberAssigned = defineObject('NumberAssigned', {
  success: z.boolean().describe('Always true. Failures return an error instead.'),
  message: z.string().describe('Description of the result, including features that are not available yet.'),
  numbers: z.array(PhoneNumber).describe('List that contains the updated number.'),
  assignment: NumberAssignment.describe('Updated assignment of the number.'),
})
export type NumberAssigned = z.infer<typeof NumberAssigned>

export const UpdateNumberBody = defineDescribedObject('UpdateNumberBody', PATCH_DESCRIPTION, {
  workspaceId: bodyWorkspace(),
  nickname: Nickname.nullable().optional(),
  default_agent_id: id().nullable().optional().describe(DEFAULT_AGENT),
  sticky: clearable(z.boolean().describe(`${STICKY} Defaults to true.`), () => true),
  inbound_webhook_url: WebhookUrl.nullable().optional(),
  is_time_routing_enabled: clearable(TimeRoutingSwitch, () => false),
  time_routing: TimeRoutingInput.nullable().optional().describe(TIME_ROUTING),
  fallback_number: DialedNumber.nullable().optional().describe(FALLBACK_NUMBER),
})
export type UpdateNumberBody = z.output<typeof UpdateNumberBody>

const NumberPath = z.object({
  number: id().describe('Phone number or extension. Only the digits matter, so `+` does not have to be escaped.'),
})
const TAG = 'Phone Numbers'

export const assignNumberAgents = defineOperation({
  name: 'assignNumberAgents',
  route: 'PUT /api/numbers/{number}/agent',
  tag: TAG,
  summary: 'Assign agents to a phone number',
  description:
    'Assigns, changes or removes the agents that answer and place the calls of a number. Several inbound agents ' +
    'share its calls by weight. A number of another workspace in the account moves to this workspace. If the ' +
    'carrier could not import the number, the assignment succeeds and `platform_import_error` is true.',
  access: 'write',
  pathParameters: NumberPath,
  body: AssignNumberAgentsBody,
  result: NumberAssigned,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const listNumbers = defineOperation({
  name: 'listNumbers',
  route: 'GET /api/numbers',
  tag: TAG,
  summary: 'List phone numbers',
  description: 'Returns phone numbers, newest first.',
  access: 'read',
  query: pagingQuery(EXTENSION_LIST_LIMIT).extend({
    workspaceId: queryWorkspace(),
    agentId: id().optional().describe('Return only numbers that use this agent.'),
  }),
  result: z.array(PhoneNumber),
  features: ['paged'],
})

export const createNumber = defineOperation({
  name: 'createNumber',
  route: 'POST /api/numbers',
  tag: TAG,
  summary: 'Create a phone number',
  description:
    'Registers a number, so that agents can be assigned to it. Each account can register a number once. If ' +
    'several accounts register the same number, it belongs to the account that verifies it.',
  access: 'write',
  body: CreateNumberBody,
  status: 201,
  result: PhoneNumber,
  errors: ['id_taken'],
  features: ['etag'],
})

export const importNumber = defineOperation({
  name: 'importNumber',
  route: 'POST /api/numbers/import',
  tag: TAG,
  summary: 'Import a phone number of a carrier',
  description: 'Registers a number together with the credentials for its carrier or SIP trunk.',
  access: 'write',
  body: ImportNumberBody,
  status: 201,
  result: PhoneNumber,
  errors: ['id_taken'],
  features: ['etag'],
})

export const verifyNumber = defineOperation({
  name: 'verifyNumber',
  route: 'POST /api/numbers/{number}/verify',
  tag: TAG,
  summary: 'Verify a phone number as the operator',
  description:
    'Confirms that the number belongs to the workspace’s account. If another account has verified the number, that account’s ' +
    'registration becomes unverified.',
  access: 'providers',
  pathParameters: NumberPath,
  body: defineObject('VerifyNumberBody', { workspaceId: bodyWorkspace() }),
  result: PhoneNumber,
})

export const getNumber = defineOperation({
  name: 'getNumber',
  route: 'GET /api/numbers/{number}',
  tag: TAG,
  summary: 'Get a phone number',
  description: 'Returns a phone number with its agents.',
  access: 'read',
  pathParameters: NumberPath,
  query: WorkspaceQuery,
  result: PhoneNumber,
  features: ['etag'],
})

export const updateNumber = defineOperation({
  name: 'updateNumber',
  route: 'PATCH /api/numbers/{number}',
  tag: TAG,
  summary: 'Update a phone number',
  description:
    'Updates settings of the number. To change the inbound and outbound agents, assign agents to the number.',
  access: 'write',
  pathParameters: NumberPath,
  body: UpdateNumberBody,
  result: PhoneNumber,
  errors: ['version_conflict'],
  features: ['etag'],
})

export const deleteNumber = defineOperation({
  name: 'deleteNumber',
  route: 'DELETE /api/numbers/{number}',
  tag: TAG,
  summary: 'Delete a phone number',
  description: 'Permanently deletes the number and its assignments. The carrier keeps the number.',
  access: 'write',
  pathParameters: NumberPath,
  query: WorkspaceQuery,
  errors: ['version_conflict'],
})
