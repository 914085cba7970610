import type { Chat } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import { expect } from 'vitest'
import { isRecord, type ModelReply, type ModelServerRequest } from '../../testing/model-server/reply.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { createAgent, createChat, expectBody, readChat, send } from '../../testing/server-test.ts'
import { eventually } from '../full/cluster.ts'

/** A chat in a flow and the results that its client received. */
export interface ExpectedFlowChat {
  readonly chatId: string
  /** Messages in responses and streams. */
  readonly received: ChatMessage[]
  /** Sent messages in order. */
  readonly sent: string[]
  /** The last content if it got no response. */
  unanswered: string | null
}

const RETRY_TIMEOUT_MS = 60_000
/** Pause between the words of a reply, so that kills hit nodes while they speak. */
const PACE_MS = 6
const WORDS = 'and then I say a few more words until somebody stops me or I am at the end of what there is'

/** Creates a cycle of two speaking nodes with a tool node between them. The model chooses the transitions. */
export async function createCircularFlow(server: RunningServer, toolUrl: string): Promise<string> {
  const edge = (to: string) => ({
    transition_condition: { type: 'prompt', prompt: 'The user goes on.' },
    destination_node_id: to,
  })
  const speaks = (id: string, next: string) => {
    return { id, type: 'conversation', instruction: { type: 'prompt', text: `Place: ${id}.` }, edges: [edge(next)] }
  }
  const flow = await expectBody(
    201,
    send<{ conversation_flow_id: string }>(server, 'POST', '/api/conversation-flows', {
      model_choice: { type: 'cascading', model: 'openai/any' },
      start_speaker: 'user',
      tools: [{ type: 'custom', name: 'count', url: toolUrl, response_variables: { ok: '$.ok' } }],
      nodes: [
        speaks('first', 'work'),
        {
          id: 'work',
          type: 'function',
          tool_id: 'count',
          tool_type: 'local',
          else_edge: { destination_node_id: 'second' },
        },
        speaks('second', 'first'),
      ],
    }),
  )
  const { conversation_flow_id } = flow
  const agent = await createAgent(server, { response_engine: { type: 'conversation-flow', conversation_flow_id } })
  return agent.agent_id
}

/** Returns the model reply for the cycle: decisions continue, and nodes say their id. */
export function circularFlowReply({ body }: ModelServerRequest): ModelReply {
  const tools = Array.isArray(body.tools) ? JSON.stringify(body.tools) : ''
  if (tools.includes('choose_transition')) {
    return { toolCalls: [{ name: 'choose_transition', arguments: '{"choice":"e1","reason":"It goes on."}' }] }
  }
  const messages = Array.isArray(body.messages) ? (body.messages as unknown[]).filter(isRecord) : []
  const nodeId = /Place: (\w+)\./.exec(String(messages[0]?.content))?.[1] ?? 'nowhere'
  return { text: `At ${nodeId} ${WORDS}.`, delayPerWordMs: PACE_MS }
}

/** Starts a chat on the cycle. */
export async function startChat(server: RunningServer, agentId: string): Promise<ExpectedFlowChat> {
  const { chatId } = await createChat(server, { agent_id: agentId })
  return { chatId, received: [], sent: [], unanswered: null }
}

const keyOf = (content: string): Record<string, string> => ({ 'idempotency-key': content })

/** Sends a message and follows its turn to the end. */
export async function sendMessage(server: RunningServer, expected: ExpectedFlowChat, content: string): Promise<void> {
  expected.sent.push(content)
  expected.unanswered = content
  const { events } = await server.stream('POST', `/api/chats/${expected.chatId}/completions`, {
    body: { workspaceId: server.workspaceId, content },
    headers: keyOf(content),
  })
  let status: unknown
  for await (const { event, data } of events) {
    if (event === 'message.completed') expected.received.push(data.message as ChatMessage)
    if (event === 'done') status = data.status
  }
  expect(status).toBe('completed')
  expected.unanswered = null
}

/** Resends the unanswered message until it gets a response. */
export async function retry(server: RunningServer, expected: ExpectedFlowChat): Promise<void> {
  const { unanswered: content, chatId } = expected
  if (content === null) return
  const path = `/api/chats/${chatId}/completions`
  const messages = await eventually('an answer to a retry', RETRY_TIMEOUT_MS, async () => {
    try {
      const answer = await send<{ messages: ChatMessage[] }>(
        server,
        'POST',
        path,
        { content },
        { headers: keyOf(content) },
      )
      return answer.status === 201 ? answer.body.messages : null
    } catch {
      return null
    }
  })
  expected.received.push(...messages)
  expected.unanswered = null
}

/**
 * Checks that a stored chat has all messages that its client received, one reply per turn and no extra transitions.
 * Returns whether the last turn stopped after a transition or tool result, before its reply.
 */
export async function checkFlowChat(server: RunningServer, expected: ExpectedFlowChat): Promise<boolean> {
  const chat = await readChat(server, expected.chatId)
  const byId = new Map(chat.messages.map((message) => [message.message_id, message]))
  expect(byId.size).toBe(chat.messages.length)
  for (const message of expected.received) expect(byId.get(message.message_id)).toEqual(message)
  const users = chat.messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const withoutUnanswered = expected.unanswered === null ? expected.sent : expected.sent.slice(0, -1)
  expect([expected.sent, withoutUnanswered]).toContainEqual(users)
  checkTurns(chat, expected)
  await checkTransitions(server, expected.chatId)
  return ['system', 'tool'].includes(chat.messages.at(-1)?.role ?? '')
}

/** Checks that the chat followed the cycle and that the flow's position matches the last message. */
export async function checkTransitions(server: RunningServer, chatId: string): Promise<void> {
  const transitions = transitionsOf(await readChat(server, chatId))
  expect(transitions.map(({ to }) => to)).toEqual(Array.from(transitions, (_one, index) => NEXT[index % NEXT.length]))
  const origins = [null, ...transitions.map(({ to }) => to)].slice(0, transitions.length)
  expect(transitions.map(({ from }) => from)).toEqual(origins)
  await checkState(server, chatId, transitions)
}

/** Node ids of the cycle, from the start. */
const NEXT = ['first', 'work', 'second']

interface Transition {
  readonly from: string | null
  readonly to: string
}

function transitionsOf({ messages }: Pick<Chat, 'messages'>): Transition[] {
  return messages.flatMap(({ role, name, content }) => {
    if (role !== 'system' || name !== 'node_transition') return []
    const { former_node_id: from, new_node_id: to } = JSON.parse(content) as Record<string, string>
    return [{ from: from ?? null, to: to ?? '' }]
  })
}

/** Checks that each answered message has one complete reply from the current node. */
function checkTurns({ messages }: Chat, { unanswered }: ExpectedFlowChat): void {
  let nodeId = ''
  let answers = 1
  for (const message of messages) {
    if (message.role === 'user') {
      expect(answers).toBe(1)
      answers = 0
    }
    const [transition] = transitionsOf({ messages: [message] })
    nodeId = transition?.to ?? nodeId
    if (message.role !== 'assistant') continue
    for (const call of message.tool_calls) expect([nodeId, call.function.name]).toEqual(['work', 'count'])
    if (message.tool_calls.length > 0) continue
    expect(message.content.startsWith(`At ${nodeId} `)).toBe(true)
    if (!message.incomplete) answers += 1
  }
  expect([1, unanswered === null ? 1 : 0]).toContain(answers)
}

/** Checks that the flow's state matches the messages. */
async function checkState(server: RunningServer, chatId: string, transitions: readonly Transition[]): Promise<void> {
  const row = await withDatabase(server, ({ read }) =>
    read.selectFrom('chats').select('state').where('chat_id', '=', chatId).executeTakeFirstOrThrow(),
  )
  const state =
    row.state === null ? null : (JSON.parse(row.state) as { flow?: { nodeId: string; transitions: number } })
  expect([state?.flow?.nodeId ?? null, state?.flow?.transitions ?? 0]).toEqual([
    transitions.at(-1)?.to ?? null,
    transitions.length,
  ])
}
