import type { ConversationFlowWritten } from '@parley/contract/conversation-flow'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { PhoneNumber } from '@parley/contract/phone-number'
import type { TestCase } from '@parley/contract/test-case'
import type { Workspace } from '@parley/contract/workspace'
import { type RunningServer, runServer } from '../../../testing/running-server.ts'
import { type SeededCall, seedCalls } from '../../../testing/seed-calls.ts'
import { withStoppedServer } from '../../../testing/server-database.ts'
import { createAgent, createChat, createLlm, expectBody, read, send } from '../../../testing/server-test.ts'
import { startVoiceServer, VOICE_KEY } from '../../../testing/voice-server/voice-server.ts'

/** Values of path parameters. */
export interface SceneIds {
  readonly llmId: string
  readonly agentId: string
  readonly conversationFlowId: string
  readonly chatId: string
  readonly testCaseDefinitionId: string
  readonly knowledgeBaseId: string
  readonly number: string
  readonly callId: string
}

/** A server with one resource for each operation of the specification. */
export interface Scene {
  readonly server: RunningServer
  readonly workspaceId: number
  readonly accountSid: string
  readonly ids: SceneIds
  /** Another agent with the same engine, to share inbound calls. */
  readonly secondAgentId: string
  readonly flowAgentId: string
  readonly flowTestCaseId: string
  /** Pagination keys after the first LLM configuration and the first flow. */
  readonly after: Readonly<Record<'llms' | 'flows', PagePlace>>
  /** Unique hexadecimal digits for IDs that the client chooses. */
  readonly makeDigits: () => string
}

interface PagePlace {
  readonly paginationKey: string
  readonly paginationKeyVersion: string
}

/** An ended phone call with all fields, and a web call that was only created. */
export const FULL_CALL = `call_${'1'.repeat(26)}`
export const BARE_CALL = `call_${'2'.repeat(26)}`
export const CALLED_AGENT = `agent_${'c'.repeat(26)}`

const LAST_INSTANT = Date.UTC(2026, 3, 21, 23, 59, 59, 999)

const CALLS: readonly SeededCall[] = [
  {
    call_id: FULL_CALL,
    agent_id: CALLED_AGENT,
    agent_version: 2,
    agent_name: 'Reception',
    call_sid: 'CA0123456789abcdef',
    customer_name: 'Ada Lovelace',
    created_at: LAST_INSTANT,
    expires_at: LAST_INSTANT + 600_000,
    started_at: LAST_INSTANT,
    ended_at: LAST_INSTANT + 90_400,
    duration_ms: 90_400,
    sentiment: 'Positive',
    successful: 1,
    summary: 'Asked for opening hours.',
    recording_url: 'https://recordings.example/1.wav',
    cost_voice: 120_000,
    cost_llm: 3_001,
    cost_gross: 123_001,
    cost_total: 150_000,
    metadata: '{"order":17}',
    given_variables: '{"name":"Ada"}',
    transcript: 'Agent: Hello.\nUser: Hi.',
  },
  {
    call_id: BARE_CALL,
    call_type: 'web_call',
    status: 'registered',
    direction: null,
    agent_id: CALLED_AGENT,
    agent_name: '',
    from_number: null,
    to_number: null,
    created_at: LAST_INSTANT + 1,
    started_at: null,
    ended_at: null,
    duration_ms: null,
    disconnection_reason: null,
  },
]

/** Two nodes with all fields of a node in the specification. */
export const PLAIN_NODES = [
  {
    id: 'greet',
    type: 'conversation',
    edges: [
      {
        id: 'to_end',
        transition_condition: { type: 'prompt', prompt: 'The user says goodbye' },
        destination_node_id: 'bye',
      },
    ],
  },
  { id: 'bye', type: 'end', edges: [] },
]

/** Starts the server and creates the resources. */
export async function openScene(): Promise<Scene & AsyncDisposable> {
  const voices = await startVoiceServer()
  const server = await runServer({
    env: {
      ELEVENLABS_API_KEY: VOICE_KEY,
      ELEVENLABS_BASE_URL: voices.url,
      CARTESIA_API_KEY: VOICE_KEY,
      CARTESIA_BASE_URL: voices.url,
    },
  })
  await withStoppedServer(server, (database) => seedCalls(database, CALLS))
  let made = 0
  return {
    ...(await fill(server)),
    server,
    workspaceId: server.workspaceId,
    makeDigits: () => String(++made).padStart(26, '0'),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await voices.close()
    },
  }
}

async function fill(server: RunningServer): Promise<Omit<Scene, 'server' | 'workspaceId' | 'makeDigits'>> {
  const { workspaces } = await expectBody(200, server.call<{ workspaces: Workspace[] }>('GET', '/api/workspaces'))
  await createLlm(server, { display_name: 'Older' })
  const { llm_id } = await createLlm(server, { display_name: 'Desk', begin_message: 'Welcome.' })
  const response_engine = { type: 'llm', llm_id }
  const agent = await createAgent(server, { agent_name: 'Front desk', response_engine })
  const second = await createAgent(server, { agent_name: 'Back office', response_engine })
  await makeFlow(server)
  const { conversation_flow_id } = await makeFlow(server)
  const flowAgent = await createAgent(server, { response_engine: { type: 'conversation-flow', conversation_flow_id } })
  const chat = await createChat(server, agent, { metadata: { order: 17 } })
  const testCase = await makeTestCase(server, { llm_id })
  const flowTestCase = await makeTestCase(server, { conversation_flow_id })
  const { number } = await makeNumber(server, '+15550100100')
  return {
    accountSid: workspaces[0]?.accountSid ?? '',
    ids: {
      llmId: llm_id,
      agentId: agent.agent_id,
      conversationFlowId: conversation_flow_id,
      chatId: chat.chatId,
      testCaseDefinitionId: testCase.test_case_definition_id,
      knowledgeBaseId: (await makeKnowledgeBase(server)).knowledgeBaseId,
      number,
      callId: FULL_CALL,
    },
    secondAgentId: second.agent_id,
    flowAgentId: flowAgent.agent_id,
    flowTestCaseId: flowTestCase.test_case_definition_id,
    after: { llms: await pageAfterOne(server, '/api/v1/llms'), flows: await pageAfterOne(server, FLOWS) },
  }
}

const FLOWS = '/api/conversation-flows'

async function pageAfterOne(server: RunningServer, path: string): Promise<PagePlace> {
  const { headers } = await read(server, path, { limit: 1 })
  return {
    paginationKey: headers.get('x-next-pagination-key') ?? '',
    paginationKeyVersion: headers.get('x-next-pagination-key-version') ?? '',
  }
}

export function makeFlow(server: RunningServer, fields: object = {}): Promise<ConversationFlowWritten> {
  return expectBody(201, send<ConversationFlowWritten>(server, 'POST', FLOWS, { nodes: PLAIN_NODES, ...fields }))
}

export function makeKnowledgeBase(server: RunningServer): Promise<KnowledgeBase> {
  return expectBody(201, send<KnowledgeBase>(server, 'POST', '/api/knowledge-bases', { name: 'Manuals' }))
}

export function makeTestCase(server: RunningServer, engine: object): Promise<TestCase> {
  const body = { name: 'Asks for hours', description: 'At night', ...engine }
  return expectBody(201, send<TestCase>(server, 'POST', '/api/test-case-definitions', body))
}

export function makeNumber(server: RunningServer, number: string, fields: object = {}): Promise<PhoneNumber> {
  return expectBody(201, send<PhoneNumber>(server, 'POST', '/api/numbers', { number, ...fields }))
}
