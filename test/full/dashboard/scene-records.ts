import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { CallOptions } from '../../../testing/api-client.ts'
import type { ServerClient } from '../../../testing/running-server.ts'
import { seedChatAndCall } from './scene-conversations.ts'

/** IDs of one record of each kind, named like the route parameters of the dashboard. */
export interface SceneRecords {
  readonly workspaceId: string
  readonly agentId: string
  readonly chatAgentId: string
  readonly llmId: string
  readonly flowId: string
  readonly knowledgeBaseId: string
  readonly number: string
  readonly testCaseId: string
  readonly callId: string
  readonly chatId: string
}

/** Replaces a user text. The result has at most `most` characters. */
export type Words = (plain: string, most?: number) => string

export interface RecordOptions {
  readonly words?: Words
  /** A community voice, for servers that reach its vendor. */
  readonly voice?: { readonly providerVoiceId: string; readonly publicUserId: string }
}

/** No server listens on this port. */
const NOWHERE = 'http://127.0.0.1:9'
export const VOICE = 'voice_builtin_slt'

/** Sends a body as the owner. Throws unless the request succeeds. */
export type Send = <Body = Record<string, string>>(method: string, path: string, body?: object) => Promise<Body>

export function senderOf(server: ServerClient): Send {
  return async <Body>(method: string, path: string, body: object = {}): Promise<Body> => {
    const options: CallOptions = { body: { workspaceId: server.workspaceId, ...body } }
    const answer = await server.call<Body>(method, path, options)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
}

/** Seeds a bicycle repair shop: one presentable record of each kind. */
export async function seedRecords(
  server: ServerClient,
  { words = (plain) => plain, voice }: RecordOptions = {},
): Promise<SceneRecords> {
  const send = senderOf(server)
  if (voice !== undefined) {
    await send('POST', '/api/voices', { voiceProvider: 'elevenlabs', ...voice, name: words('Nora, calm') })
  }
  const knowledgeBaseId = await seedKnowledge(server, send, words)
  const llmId = await seedLlm(send, words, knowledgeBaseId)
  const flowId = await seedFlow(send, words)
  const agentId = await seedAgent(send, words, llmId)
  const engine = { type: 'llm', llm_id: llmId }
  const chatAgent = { agent_name: words('Website chat'), response_engine: engine, language: 'en-US' }
  const { agent_id: chatAgentId = '' } = await send('POST', '/api/chat-agents', chatAgent)
  await send('POST', `/api/chat-agents/${chatAgentId}/publish`, { version: 1, title: words('First'), description: '' })
  await send('PATCH', `/api/chat-agents/${chatAgentId}`, { agent_name: words('Website chat, new') })
  const flowEngine = { type: 'conversation-flow', conversation_flow_id: flowId }
  await send('POST', '/api/agents', { agent_name: words('Appointments'), voice_id: VOICE, response_engine: flowEngine })
  const number = await seedNumber(send, words, agentId)
  const testCaseId = await seedTestCase(send, words, llmId)
  await seedAccount(server, send, words)
  const { chatId, callId } = await seedChatAndCall({ server, send, words, agentId, chatAgentId, llmId })
  return {
    ...{ workspaceId: String(server.workspaceId), agentId, chatAgentId, llmId, flowId, knowledgeBaseId, number },
    ...{ testCaseId, callId, chatId },
  }
}

const POLL_EVERY_MS = 50
const READ_WITHIN_MS = 30_000

async function seedKnowledge(server: ServerClient, send: Send, words: Words): Promise<string> {
  const text = [
    `# ${words('Opening hours')}`,
    words('The shop opens at nine and closes at six, on Saturdays at two. It is closed on Sundays.', 5_000),
    `# ${words('Prices')}`,
    words('A basic service costs $59 and takes a day. A flat tire costs $15 while you wait.', 5_000),
  ].join('\n\n')
  const { knowledgeBaseId } = await send<KnowledgeBase>('POST', '/api/knowledge-bases', {
    name: words('Shop handbook', 39),
    description: words('Prices, hours and repairs.', 1_000),
    sources: [{ text, title: words('Prices and hours') }],
  })
  const path = `/api/knowledge-bases/${knowledgeBaseId}`
  const deadline = performance.now() + READ_WITHIN_MS
  while (performance.now() < deadline) {
    const { body } = await server.call<KnowledgeBase>('GET', path, { query: { workspaceId: server.workspaceId } })
    if (body.status !== 'processing') return knowledgeBaseId
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS))
  }
  throw new Error('The knowledge base was not ready in time.')
}

const PROMPT = `You are Robin of Pedal and Spoke, a bicycle repair shop in Portland. Be brief and friendly. Greet {{name}} by name.

# What you do
- Answer questions about prices. If you do not know something, offer a callback.
- Look up open days with free_days, and confirm the day once.
- Transfer callers who ask for a mechanic.

# How you speak
- Ask one question at a time, in short sentences.
- Avoid lists.`

async function seedLlm(send: Send, words: Words, knowledgeBaseId: string): Promise<string> {
  const { llm_id: llmId = '' } = await send('POST', '/api/v1/llms', {
    display_name: words('Front desk prompt'),
    model: 'offline',
    general_prompt: words(PROMPT, 8_000),
    begin_message: words('Pedal and Spoke, good morning. This is Robin.', 1_000),
    start_speaker: 'agent',
    knowledge_base_ids: [knowledgeBaseId],
    general_tools: tools(words),
    states: [
      {
        name: 'greeting',
        state_prompt: words('Find out what is wrong with the bicycle.', 2_000),
        edges: [{ destination_state_name: 'booking', description: words('The caller wants an appointment.') }],
      },
      { name: 'booking', state_prompt: words('Agree on a day.', 2_000) },
    ],
    starting_state: 'greeting',
    default_dynamic_variables: { name: words('friend') },
  })
  await send('POST', `/api/llms/${llmId}/publish`, { version: 1, title: words('Opening'), description: words('First') })
  await send('PATCH', `/api/llms/${llmId}`, {
    general_prompt: words(`${PROMPT}\n- Look a day up before you promise it.`, 8_000),
  })
  return llmId
}

function tools(words: Words): readonly object[] {
  return [
    { type: 'end_call', name: 'end_call', description: words('Call this when the caller says goodbye.', 1_000) },
    {
      type: 'custom',
      name: 'free_days',
      description: words('Looks up open days.', 1_000),
      url: `${NOWHERE}/days`,
      method: 'POST',
      parameters: {
        type: 'object',
        properties: { week: { type: 'integer', description: words('Week of the year') } },
        required: ['week'],
      },
      execution_message_description: words('One moment, let me check the calendar.', 1_000),
      speak_during_execution: true,
    },
    {
      type: 'transfer_call',
      name: 'to_workshop',
      description: words('Call this when the caller asks for a mechanic.', 1_000),
      transfer_destination: { type: 'predefined', number: '+14155550134' },
      transfer_option: {
        type: 'cold_transfer',
        public_handoff_option: { type: 'static_message', message: words('Hi') },
      },
    },
  ]
}

async function seedFlow(send: Send, words: Words): Promise<string> {
  const { conversation_flow_id: flowId = '' } = await send('POST', '/api/conversation-flows', {
    display_name: words('Appointments'),
    global_prompt: words('You book appointments for a bicycle repair shop.', 5_000),
    start_node_id: 'ask',
    nodes: [
      {
        id: 'ask',
        type: 'conversation',
        name: words('Ask for the day', 100),
        instruction: { type: 'prompt', text: words('Ask which day works.', 2_000) },
        edges: [
          {
            id: 'day-named',
            transition_condition: { type: 'prompt', prompt: words('The caller named a day.', 1_000) },
            destination_node_id: 'end',
          },
        ],
      },
      {
        id: 'end',
        type: 'end',
        name: words('Goodbye', 100),
        instruction: { type: 'prompt', text: words('Say goodbye.') },
      },
    ],
    notes: [
      {
        id: 'why',
        content: words('One appointment per caller.', 1_000),
        display_position: { x: 0, y: 0 },
        size: { width: 200, height: 80 },
      },
    ],
  })
  await send('POST', `/api/conversation-flows/${flowId}/publish`, {
    version: 1,
    title: words('Opening'),
    description: words('First'),
  })
  await send('PATCH', `/api/conversation-flows/${flowId}`, {
    global_prompt: words('You book appointments and are friendly.'),
  })
  return flowId
}

async function seedAgent(send: Send, words: Words, llmId: string): Promise<string> {
  const { agent_id: agentId = '' } = await send('POST', '/api/agents', {
    agent_name: words('Front desk'),
    voice_id: VOICE,
    language: 'en-US',
    timezone: 'America/Los_Angeles',
    response_engine: { type: 'llm', llm_id: llmId },
    fallback_message: words('Sorry, something went wrong. Please call again.', 1_000),
    pronunciation_dictionary: [{ word: words('derailleur', 100), alphabet: 'cmu', phoneme: 'D ER0 EY1 L ER0' }],
    post_call_analysis_data: [
      { type: 'string', name: 'bicycle', description: words('Make and model.', 1_000) },
      { type: 'enum', name: 'size', description: words('Size of the repair.', 1_000), choices: ['small', 'large'] },
    ],
    webhook_url: `${NOWHERE}/agent`,
  })
  await send('POST', `/api/agents/${agentId}/publish`, {
    version: 1,
    title: words('Opening'),
    description: words('First live version.', 1_000),
  })
  await send('PATCH', `/api/agents/${agentId}`, { agent_name: words('Front desk, mornings'), voice_speed: 1.1 })
  return agentId
}

async function seedNumber(send: Send, words: Words, agentId: string): Promise<string> {
  const number = '+14155550111'
  await send('POST', '/api/numbers', { number, nickname: words('Main number') })
  await send('PUT', `/api/numbers/${encodeURIComponent(number)}/agent`, {
    outboundAgentId: agentId,
    inboundAgents: [
      { agent_id: agentId, agent_version: 1, weight: 0.75 },
      { agent_id: agentId, agent_version: 2, weight: 0.25 },
    ],
  })
  return number
}

async function seedTestCase(send: Send, words: Words, llmId: string): Promise<string> {
  const { test_case_definition_id: testCaseId = '' } = await send('POST', '/api/test-case-definitions', {
    llm_id: llmId,
    name: words('Flat tire on a Friday'),
    description: words('A customer in a hurry.', 1_000),
    user_prompt: words('You have a flat tire and want it fixed today.', 2_000),
    metrics: [words('The agent named the price.', 500), words('The agent promised no day.', 500)],
    dynamic_variables: { name: words('Ines') },
    tool_mocks: [
      { tool_name: 'free_days', input_match_rule: { type: 'any' }, output: words('["Friday"]'), result: true },
    ],
  })
  return testCaseId
}

async function seedAccount(server: ServerClient, send: Send, words: Words): Promise<void> {
  const { workspaceId } = server
  await send('PATCH', `/api/workspaces/${workspaceId}`, { name: words('Pedal and Spoke') })
  await send('POST', `/api/workspaces/${workspaceId}/members`, {
    email: 'mara@pedal-and-spoke.example',
    name: words('Mara Lindqvist'),
    role: 'editor',
  })
  await send('POST', '/api/webhooks', {
    url: `${NOWHERE}/hooks`,
    description: words('Shop calendar', 500),
    events: ['chat_started', 'chat_ended', 'call_ended'],
  })
  await send('POST', '/api/tokens', { name: words('Calendar'), scopes: ['read'], workspaceIds: [workspaceId] })
  await send('PUT', '/api/workspace-secrets/crm_key', { value: 'sk-0123456789' })
  await send('POST', '/api/provider-keys', { service: 'cartesia', apiKey: 'sk-0123456789', baseUrl: NOWHERE })
}
