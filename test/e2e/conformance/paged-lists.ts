import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import { acceptInvitationAs } from '../../../testing/accept-invitation.ts'
import type { RunningServer } from '../../../testing/running-server.ts'
import { execute, insertRows } from '../../../testing/server-database.ts'
import { createAgent, createChat, createLlm, expectBody, send } from '../../../testing/server-test.ts'
import { CLONES, cloneId, cloneRows, cloneTime, cloneUuid, newestFirst } from './cloned-rows.ts'
import { makeFlow, makeNumber, makeTestCase, PLAIN_NODES } from './scene.ts'

export const LOGIN = { email: 'owner@example.com', password: 'correct horse battery' }

/** Rows that are copied to fill each list. */
export type Templates = Readonly<
  Record<
    | 'llm'
    | 'flow'
    | 'agent'
    | 'chatAgent'
    | 'component'
    | 'testCase'
    | 'number'
    | 'chat'
    | 'token'
    | 'cookie'
    | 'member'
    | 'tenant'
    | 'tenantAdmin'
    | 'provider'
    | 'providerAdmin',
    string
  >
>

type Created = Readonly<Record<string, unknown>>

/** Creates the templates through the API. */
export async function makeTemplates(server: RunningServer): Promise<Templates> {
  const make = async (path: string, body: object): Promise<Created> =>
    await expectBody(201, send<Created>(server, 'POST', path, body))
  const { llm_id: llm } = await createLlm(server)
  const response_engine = { type: 'llm', llm_id: llm }
  const agent = await createAgent(server, { response_engine })
  const tenant = String((await make('/api/tenants', { name: 'Tenant' })).tenantId)
  const provider = String((await make('/api/providers', { name: 'Provider' })).providerId)
  const login = await server.call('POST', '/api/auth/login', { headers: { authorization: '' }, body: LOGIN })
  return {
    llm,
    flow: (await makeFlow(server)).conversation_flow_id,
    agent: agent.agent_id,
    chatAgent: String((await make('/api/chat-agents', { response_engine })).agent_id),
    component: String((await make('/api/flow-components', { nodes: PLAIN_NODES })).flow_component_id),
    testCase: (await makeTestCase(server, { llm_id: llm })).test_case_definition_id,
    number: (await makeNumber(server, '+15551000000')).base_number,
    chat: (await createChat(server, agent)).chatId,
    token: String((await make('/api/tokens', { name: 'Template' })).tokenId),
    cookie: login.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
    member: await invite(server, `/api/workspaces/${server.workspaceId}/members`, { role: 'viewer' }),
    tenant,
    tenantAdmin: await invite(server, `/api/tenants/${tenant}/admins`),
    provider,
    providerAdmin: await invite(server, `/api/providers/${provider}/admins`),
  }
}

async function invite(server: RunningServer, path: string, fields: object = {}): Promise<string> {
  const body = { email: `${randomUUID()}@example.com`, ...fields }
  const invited = await expectBody(201, server.call<{ userId: string; inviteUrl: string }>('POST', path, { body }))
  await acceptInvitationAs(server, invited, { email: body.email, password: LOGIN.password })
  return invited.userId
}

const VOICE_SEED = 'voice_seed'

/** Copies each template to fill its list. */
export async function writeClones(database: NodeDatabase, templates: Templates): Promise<void> {
  await cloneResources(database, templates)
  await cloneVersions(database, templates)
  const times = (index: number) => ({ created_at: cloneTime(index) })
  const clone = (table: string, column: string, { of, prefix }: { of: string; prefix: string }, more = nothing) =>
    cloneRows(database, { table, match: { [column]: of } }, (index) => ({
      ...times(index),
      ...more(index),
      [column]: cloneId(prefix, index),
    }))
  await clone('flow_components', 'flow_component_id', { of: templates.component, prefix: 'flow_component' })
  await clone('test_cases', 'test_case_id', { of: templates.testCase, prefix: 'test_case' })
  await clone('api_tokens', 'token_id', { of: templates.token, prefix: 'token' }, hashed)
  await clone('providers', 'provider_id', { of: templates.provider, prefix: 'provider' }, (index) => ({
    slug: `p-${index}`,
  }))
  await clone('users', 'user_id', { of: templates.tenantAdmin, prefix: 'user_a' }, (index) => ({
    email: `a${index}@b.example`,
  }))
  await clone('users', 'user_id', { of: templates.providerAdmin, prefix: 'user_b' }, (index) => ({
    email: `b${index}@b.example`,
  }))
  await clone('users', 'user_id', { of: templates.member, prefix: 'user_c' }, (index) => ({
    email: `c${index}@b.example`,
  }))
  await clone('members', 'user_id', { of: templates.member, prefix: 'user_c' })
  await clone('sessions', 'user_agent', { of: 'node', prefix: 'agent' }, (index) => ({
    ...hashed(index),
    session_id: cloneId('session', index),
  }))
  await cloneRows(database, { table: 'chats', match: { chat_id: templates.chat } }, (index) => ({
    chat_id: cloneId('chat', index),
    started_at: cloneTime(index),
  }))
  await cloneRows(database, { table: 'tenants', match: { account_sid: templates.tenant } }, (index) => ({
    account_sid: cloneUuid('tenant', index),
    account_path: `/default/t-${index}`,
    ...times(index),
  }))
  await cloneRows(database, { table: 'audit_entries', match: { operation: 'createTenant' } }, (index) => ({
    audit_id: cloneId('audit', index),
    at: cloneTime(index),
  }))
  await cloneRows(database, { table: 'phone_numbers', match: { base_number: templates.number } }, (index) => ({
    number_id: index + 2,
    number: numberOf(index),
    base_number: numberOf(index).slice(1),
    ...times(index),
  }))
  await execute(database, sql`update number_counter set last_number_id = ${CLONES + 1}`)
  await writeVoices(database)
}

const nothing = (_index: number): Record<string, string> => ({})
const hashed = (index: number): Record<string, string> => ({ token_hash: cloneId('hash', index) })
const numberOf = (index: number): string => `+1555200${String(index).padStart(4, '0')}`

async function cloneResources(database: NodeDatabase, { llm, flow, agent, chatAgent }: Templates): Promise<void> {
  for (const [prefix, id] of Object.entries({ llm, conversation_flow: flow, agent, chat_agent: chatAgent })) {
    for (const table of ['resources', 'resource_versions']) {
      await cloneRows(database, { table, match: { resource_id: id } }, (index) => ({
        resource_id: cloneId(prefix, index),
        created_at: cloneTime(index),
      }))
    }
  }
}

/** Creates the same number of versions of each template. */
async function cloneVersions(database: NodeDatabase, { llm, flow, agent, chatAgent }: Templates): Promise<void> {
  for (const resource_id of [llm, flow, agent, chatAgent]) {
    await cloneRows(database, { table: 'resource_versions', match: { resource_id } }, (index) => ({
      version: index + 2,
    }))
    await execute(database, sql`update resources set newest_version = ${CLONES + 1} where resource_id = ${resource_id}`)
  }
}

async function writeVoices(database: NodeDatabase): Promise<void> {
  const ids = { voice_id: VOICE_SEED, workspace_id: 1, provider: 'cartesia', provider_voice_id: VOICE_SEED }
  const texts = { account_voice_id: 'any', name: 'Any', description: '', tags: '[]' }
  await insertRows(database, 'voices', [{ ...ids, ...texts, created_at: 0, updated_at: 0 }])
  await cloneRows(database, { table: 'voices', match: { voice_id: VOICE_SEED } }, (index) => ({
    voice_id: cloneId('voice', index),
    provider_voice_id: cloneId('voice', index),
    created_at: cloneTime(index),
  }))
}

/** A list with its copies in the expected order. */
export interface PagedList {
  readonly name: string
  readonly path: (templates: Templates) => string
  /** Default page size. */
  readonly defaultLimit: 50 | 1000
  /** Field that identifies items. */
  readonly key: string
  readonly expected: readonly (string | number)[]
  /** Whether pages also contain the version of their last item. */
  readonly hasVersions?: boolean
  /** Whether the list requires a session. */
  readonly needsLogin?: boolean
  /** Creates another item. */
  readonly create?: (server: RunningServer, templates: Templates) => Promise<unknown>
}

const VERSIONS = Array.from({ length: CLONES }, (_, index) => CLONES + 1 - index)
const byId = (prefix: string): string[] => newestFirst((index) => cloneId(prefix, index))
const onLlm = ({ llm }: Templates) => ({ response_engine: { type: 'llm', llm_id: llm } })
const post = (path: string, body: (templates: Templates) => object) => (server: RunningServer, templates: Templates) =>
  expectBody(201, send(server, 'POST', path, body(templates)))

// biome-ignore format: a table is read by its columns
export const PAGED_LISTS: readonly PagedList[] = [
  { name: 'LLM configurations', path: () => '/api/v1/llms', defaultLimit: 1000, key: 'llm_id', expected: byId('llm'), hasVersions: true, create: (server) => createLlm(server) },
  { name: 'conversation flows', path: () => '/api/conversation-flows', defaultLimit: 1000, key: 'conversation_flow_id', expected: byId('conversation_flow'), hasVersions: true, create: (server) => makeFlow(server) },
  { name: 'agents', path: () => '/api/agents', defaultLimit: 1000, key: 'agent_id', expected: byId('agent'), hasVersions: true, create: (server, templates) => createAgent(server, onLlm(templates)) },
  { name: 'versions of an agent', path: ({ agent }) => `/api/agents/${agent}/versions`, defaultLimit: 1000, key: 'version', expected: VERSIONS, hasVersions: true },
  { name: 'voices', path: () => '/api/voices', defaultLimit: 1000, key: 'voiceId', expected: byId('voice') },
  { name: 'test cases', path: () => '/api/test-case-definitions', defaultLimit: 1000, key: 'test_case_definition_id', expected: byId('test_case'), hasVersions: true, create: (server, { llm }) => makeTestCase(server, { llm_id: llm }) },
  { name: 'test cases of an engine', path: ({ llm }) => `/api/test-case-definitions?type=llm&llm_id=${llm}`, defaultLimit: 1000, key: 'test_case_definition_id', expected: byId('test_case'), hasVersions: true },
  { name: 'numbers', path: () => '/api/numbers', defaultLimit: 50, key: 'number', expected: Array.from({ length: CLONES }, (_, index) => numberOf(CLONES - 1 - index)), create: (server) => makeNumber(server, '+15553000000') },
  { name: 'chat agents', path: () => '/api/chat-agents', defaultLimit: 50, key: 'agent_id', expected: byId('chat_agent'), hasVersions: true, create: post('/api/chat-agents', onLlm) },
  { name: 'chats', path: () => '/api/chats', defaultLimit: 50, key: 'chatId', expected: byId('chat'), create: (server, { agent }) => createChat(server, { agent_id: agent }) },
  { name: 'chats of an agent', path: ({ agent }) => `/api/chats?agent-id=${agent}&status=ongoing`, defaultLimit: 50, key: 'chatId', expected: byId('chat') },
  { name: 'components of flows', path: () => '/api/flow-components', defaultLimit: 50, key: 'flow_component_id', expected: byId('flow_component'), create: post('/api/flow-components', () => ({ nodes: PLAIN_NODES })) },
  { name: 'versions of an LLM configuration', path: ({ llm }) => `/api/llms/${llm}/versions`, defaultLimit: 50, key: 'version', expected: VERSIONS, hasVersions: true },
  { name: 'versions of a flow', path: ({ flow }) => `/api/conversation-flows/${flow}/versions`, defaultLimit: 50, key: 'version', expected: VERSIONS, hasVersions: true },
  { name: 'versions of a chat agent', path: ({ chatAgent }) => `/api/chat-agents/${chatAgent}/versions`, defaultLimit: 50, key: 'version', expected: VERSIONS, hasVersions: true },
  { name: 'tokens', path: () => '/api/tokens', defaultLimit: 50, key: 'tokenId', expected: byId('token'), create: post('/api/tokens', () => ({ name: 'One more' })) },
  { name: 'logins', path: () => '/api/auth/sessions', defaultLimit: 50, key: 'sessionId', expected: byId('session'), needsLogin: true },
  { name: 'members', path: () => '/api/workspaces/1/members', defaultLimit: 50, key: 'userId', expected: byId('user_c'), create: (server) => invite(server, '/api/workspaces/1/members', { role: 'viewer' }) },
  { name: 'tenants', path: () => '/api/tenants', defaultLimit: 50, key: 'tenantId', expected: newestFirst((index) => cloneUuid('tenant', index)), create: post('/api/tenants', () => ({ name: 'One more' })) },
  { name: 'administrators of a tenant', path: ({ tenant }) => `/api/tenants/${tenant}/admins`, defaultLimit: 50, key: 'userId', expected: byId('user_a'), create: (server, { tenant }) => invite(server, `/api/tenants/${tenant}/admins`) },
  { name: 'providers', path: () => '/api/providers', defaultLimit: 50, key: 'providerId', expected: byId('provider'), create: post('/api/providers', () => ({ name: 'One more' })) },
  { name: 'administrators of a provider', path: ({ provider }) => `/api/providers/${provider}/admins`, defaultLimit: 50, key: 'userId', expected: byId('user_b'), create: (server, { provider }) => invite(server, `/api/providers/${provider}/admins`) },
  { name: 'the audit log', path: () => '/api/audit-log', defaultLimit: 50, key: 'auditId', expected: byId('audit'), create: post('/api/tokens', () => ({ name: 'Audited' })) },
]
