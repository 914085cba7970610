import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { listPaths, type Operation } from '@parley/contract/operation'
import { expect } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { VOICE } from '../../testing/server-test.ts'
import { SHARED_VOICES } from '../../testing/voice-server/voice-library.ts'
import { eventually } from './cluster.ts'
import type { IdName, KnownIds } from './known-ids.ts'
import { newEmail, UNREACHABLE_URL } from './valid-account-bodies.ts'
import { dialogNodes, MCP_ID, newNumber, validBodies } from './valid-bodies.ts'

export type { KnownIds } from './known-ids.ts'

/** A well-formed id without a resource. */
export const unknownId = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`

interface MakeIdsOptions {
  readonly mark?: string
  /** URL of the MCP server that the agent's engine names `MCP_ID`. */
  readonly mcpUrl?: string
}

/**
 * Creates one resource of each kind in a workspace, its tenant and its provider. All texts contain `mark`. Some resources
 * cannot be created with a token: call ids, `sessionId` and `addedVoiceId` are unknown, and `voiceId` is a built-in voice.
 * Webhook deliveries have failed when this resolves. `client` must be the owner's.
 */
export async function makeIds(
  client: ApiClient,
  workspaceId: number,
  { mark = 'Mark', mcpUrl = `${UNREACHABLE_URL}/mcp` }: MakeIdsOptions = {},
): Promise<KnownIds> {
  const { create, createIn, tenantId, providerId } = await openWorkspace(client, workspaceId)
  const person = () => ({ email: newEmail(mark), name: mark })
  const { knowledgeBaseId, sourceId } = await createKnowledge(client, createIn, mark)
  const { knowledgeBaseId: consultedBaseId } = await createKnowledge(client, createIn, mark)
  const { llm_id: llmId } = await createIn<'llm_id'>('/api/v1/llms', {
    display_name: mark,
    general_prompt: `You are ${mark}.`,
    begin_message: `This is ${mark}.`,
    knowledge_base_ids: [consultedBaseId],
    mcps: [{ mcp_id: MCP_ID, name: mark, url: mcpUrl }],
  })
  const engine = { agent_name: mark, response_engine: { type: 'llm', llm_id: llmId } }
  const { agent_id: agentId } = await createIn<'agent_id'>('/api/agents', { voice_id: VOICE, ...engine })
  const { agent_id: chatAgentId } = await createIn<'agent_id'>('/api/chat-agents', engine)
  const { webhookId } = await createIn<'webhookId'>('/api/webhooks', {
    url: `${UNREACHABLE_URL}/${mark}`,
    description: mark,
    events: ['chat_started'],
  })
  const { chatId, turnId } = await createChat(createIn, agentId, mark)
  const deliveryId = await failedDelivery(client, workspaceId, chatId)
  const { conversation_flow_id: conversationFlowId } = await createIn<'conversation_flow_id'>(
    '/api/conversation-flows',
    { global_prompt: mark, nodes: dialogNodes(`Be ${mark}.`) },
  )
  const { agent_id: flowAgentId } = await createIn<'agent_id'>('/api/agents', {
    voice_id: VOICE,
    agent_name: mark,
    response_engine: { type: 'conversation-flow', conversation_flow_id: conversationFlowId },
  })
  const { flow_component_id: flowComponentId } = await createIn<'flow_component_id'>('/api/flow-components', {
    name: mark,
    nodes: dialogNodes(`Be ${mark}.`),
  })
  const { test_case_definition_id: testCaseDefinitionId } = await createIn<'test_case_definition_id'>(
    '/api/test-case-definitions',
    { llm_id: llmId, name: mark },
  )
  const number = newNumber()
  await createIn<'number'>('/api/numbers', { number, nickname: mark })
  const { providerKeyId } = await createIn<'providerKeyId'>('/api/provider-keys', {
    service: 'cartesia',
    apiKey: `sk-${mark}`,
    baseUrl: `${UNREACHABLE_URL}/${mark}`,
  })
  const secretName = `of_${mark.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')}`
  const secret = await client.call('PUT', `/api/workspace-secrets/${secretName}`, {
    body: { workspaceId, value: mark },
  })
  expect(secret.status).toBe(200)
  const { tokenId } = await create<'tokenId'>('/api/tokens', { name: mark, workspaceIds: [workspaceId] })
  const members = `/api/workspaces/${workspaceId}/members`
  const { userId } = await create<'userId'>(members, { ...person(), role: 'viewer' })
  const { userId: tenantAdminId } = await create<'userId'>(`/api/tenants/${tenantId}/admins`, person())
  const { userId: providerAdminId } = await create<'userId'>(`/api/providers/${providerId}/admins`, person())
  return {
    workspaceId,
    values: {
      ...{ workspaceId: String(workspaceId), llmId, conversationFlowId, flowComponentId, agentId, chatAgentId },
      ...{ flowAgentId, knowledgeBaseId, consultedBaseId, sourceId },
      ...{
        chatId,
        turnId,
        voiceId: VOICE,
        addedVoiceId: unknownId('voice'),
        number,
        testCaseDefinitionId,
        callId: unknownId('call'),
        liveCallId: unknownId('call'),
        webhookId,
        deliveryId,
      },
      ...{
        tokenId,
        sessionId: unknownId('session'),
        providerKeyId,
        secretName,
        userId,
        tenantId,
        tenantAdminId,
        providerId,
      },
      providerAdminId,
    },
  }
}

/** Adds a shared voice of the voice server to a workspace and returns its id. */
export async function addVoice(client: ApiClient, workspaceId: number, name: string): Promise<string> {
  const voice = SHARED_VOICES[1]
  const { createIn } = await openWorkspace(client, workspaceId)
  const ids = { voiceProvider: 'elevenlabs', providerVoiceId: voice?.id, publicUserId: voice?.owner }
  return (await createIn<'voiceId'>('/api/voices', { ...ids, name })).voiceId
}

type Create = <Key extends string>(path: string, fields: object) => Promise<Record<Key, string>>

async function openWorkspace(client: ApiClient, workspaceId: number) {
  const create: Create = async (path, fields) => {
    const { status, body } = await client.call<Record<string, string>>('POST', path, { body: fields })
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(201)
    return body
  }
  const createIn: Create = (path, fields) => create(path, { workspaceId, ...fields })
  const workspace = await client.call<{ accountSid: string }>('GET', `/api/workspaces/${workspaceId}`)
  const tenantId = workspace.body.accountSid
  const tenant = await client.call<{ providerId: string }>('GET', `/api/tenants/${tenantId}`)
  return { create, createIn, tenantId, providerId: tenant.body.providerId }
}

async function createChat(createIn: Create, agentId: string, mark: string) {
  const { chatId } = await createIn<'chatId'>('/api/chats', { agentId, metadata: { mark } })
  const completion: unknown = await createIn(`/api/chats/${chatId}/completions`, { content: `Hello ${mark}` })
  const [message] = (completion as { messages: { turn_id: string }[] }).messages
  return { chatId, turnId: message?.turn_id ?? '' }
}

/** Creates a knowledge base with one source. Resolves once the source is processed. */
async function createKnowledge(client: ApiClient, createIn: Create, mark: string) {
  const made: unknown = await createIn('/api/knowledge-bases', {
    name: mark,
    description: mark,
    sources: [{ text: `# Opening hours\n\nThe doors of ${mark} open at nine o’clock.`, title: mark }],
  })
  const { workspaceId, knowledgeBaseId, sources } = made as KnowledgeBase
  const path = `/api/knowledge-bases/${knowledgeBaseId}`
  await eventually('a source that was read', 30_000, async () => {
    const { body } = await client.call<KnowledgeBase>('GET', path, { query: { workspaceId } })
    if (body.status === 'processing') return null
    expect(body.status, JSON.stringify(body)).toBe('ready')
    return true
  })
  return { knowledgeBaseId, sourceId: sources[0]?.source_id ?? '' }
}

/** Returns the delivery of `chat_started`. Its address is blocked, so it is not retried. */
function failedDelivery(client: ApiClient, workspaceId: number, chatId: string): Promise<string> {
  return eventually('a delivery that failed', 10_000, async () => {
    const { body } = await client.call<{ deliveryId: string; status: string }[]>('GET', '/api/webhook-deliveries', {
      query: { workspaceId, chatId },
    })
    return body.find(({ status }) => status === 'failed')?.deliveryId ?? null
  })
}

/** Returns the id for a path parameter of the operation. */
export function validPathValue(operation: PathOperation, parameter: string, { values }: KnownIds): string {
  return values[idNameOf(operation, parameter)]
}

type PathOperation = Pick<Operation, 'path' | 'method'>

/** Returns the name of the id for a parameter, whose meaning can depend on the operation. */
function idNameOf({ path, method }: PathOperation, parameter: string): IdName {
  if (parameter === 'agentId' && path.startsWith('/api/playground/')) return 'flowAgentId'
  if (parameter === 'agentId' && path.startsWith('/api/chat-agents/')) return 'chatAgentId'
  if (parameter === 'userId' && path.startsWith('/api/tenants/')) return 'tenantAdminId'
  if (parameter === 'userId' && path.startsWith('/api/providers/')) return 'providerAdminId'
  if (parameter === 'callId' && /\/(control|listen)$/.test(path)) return 'liveCallId'
  if (parameter === 'voiceId' && method === 'PATCH') return 'addedVoiceId'
  if (parameter === 'name' && path.startsWith('/api/workspace-secrets/')) return 'secretName'
  return parameter as IdName
}

/** Returns the operation's path with known ids. `alias` selects the other prefix. */
export function validPath(operation: Operation, ids: KnownIds, { alias = false } = {}): string {
  const template = listPaths(operation)[alias ? 1 : 0]
  return template.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(validPathValue(operation, name, ids)),
  )
}

/** Returns the required query parameters other than the workspace. */
export function requiredQuery(
  { name }: Pick<Operation, 'name'>,
  { values }: Pick<KnownIds, 'values'>,
): Readonly<Record<string, string>> {
  if (name === 'getBrandDomain') return { tenantId: values.tenantId }
  return name === 'listMcpTools' ? { mcpId: MCP_ID } : {}
}

/** Returns a body in which every field is valid, or undefined if the operation takes none. */
export function validBodyFor({ name, body }: Operation, ids: KnownIds): unknown {
  if (body === undefined) return undefined
  const bodies: Readonly<Record<string, object>> = validBodies(ids)
  const validBody = bodies[name]
  if (validBody === undefined) throw new Error(`There is no good body of ${name} yet: add one to valid-bodies.ts.`)
  return validBody
}
