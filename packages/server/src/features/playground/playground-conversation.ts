import type { PlaygroundBody } from '@parley/contract/playground'
import type { ToolMockInput } from '@parley/contract/tool-mock'
import { channelOf } from '@parley/engine/dialogue/channel'
import type {
  Conversation,
  DialogueState,
  FlowPosition,
  HistoryMessage,
  ToolMock,
  TurnInput,
} from '@parley/engine/dialogue/conversation'
import type { JsonObject } from '@parley/engine/ports'
import type { PinnedAgent } from '../agents/public.ts'

/** Of a conversation that nobody stores. */
const CONVERSATION_ID = 'chat_playground'

/** What the engine starts the tried turn from. */
export function toPlayground(
  body: PlaygroundBody,
  agent: PinnedAgent,
): { readonly conversation: Conversation; readonly input: TurnInput } {
  const messages = body.messages.flatMap(toHistory)
  const last = messages.at(-1)
  const isAsked = last?.role === 'user'
  const conversation: Conversation = {
    engine: agent.engine,
    channel: channelOf('chat'),
    state: toState(body, agent),
    history: isAsked ? messages.slice(0, -1) : messages,
    variables: {
      system: { session_type: 'chat', chat_id: CONVERSATION_ID, session_duration: '0 seconds' },
      given: body.dynamic_variables ?? {},
      override: {},
    },
    timezone: agent.timezone,
    fallbackModels: agent.fallbackModels,
    fallbackMessage: agent.fallbackMessage,
    toolContext: {
      chat: { chat_id: CONVERSATION_ID, agent_id: agent.agentId, agent_version: agent.agentVersion, metadata: {} },
    },
    metadata: {},
    conversationId: CONVERSATION_ID,
    toolMocks: (body.tool_mocks ?? []).map(toMock),
  }
  return { conversation, input: isAsked ? { type: 'user-message', content: last.content } : { type: 'continue' } }
}

/** Records of transitions and the like are for people; no model is told of them. */
function toHistory(message: PlaygroundBody['messages'][number]): HistoryMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content }]
    case 'system':
      return message.name === undefined || message.name === '' ? [{ role: 'system', content: message.content }] : []
    case 'tool': {
      const { name = '', content, tool_call_id: toolCallId } = message
      return [{ role: 'tool', name, content, toolCallId }]
    }
    case 'assistant': {
      const toolCalls = (message.tool_calls ?? []).map((call) => {
        return { id: call.id, name: call.function.name, argumentsText: call.function.arguments }
      })
      return [{ role: 'assistant', content: message.content, toolCalls }]
    }
  }
}

function toState(body: PlaygroundBody, { engine }: PinnedAgent): DialogueState | null {
  const { state: given, current_node_id: nodeId, current_state: stateName } = body
  if ((given ?? null) === null && nodeId === undefined && stateName === undefined) return null
  const { kind, id, version } = engine
  const before = given?.flow == null ? undefined : bounded(given.flow)
  const flow = nodeId === undefined ? before : withPosition(before, nodeId, body.component_path ?? [])
  const name = stateName ?? given?.stateName ?? undefined
  const approvals = (given?.approvals ?? []).map(({ toolName, args }) => ({ toolName, args: args as JsonObject }))
  return {
    schema: 1,
    engine: { kind, id, version },
    collectedVariables: given?.collectedVariables ?? {},
    ...(flow !== undefined && { flow }),
    ...(name !== undefined && { stateName: name }),
    ...(approvals.length > 0 && { approvals }),
  }
}

/** Whatever a client claims to have counted, the answer must still be able to count on. */
const MAX_COUNT = 1_000_000_000

function bounded(flow: FlowPosition): FlowPosition {
  const within = (counts: FlowPosition['visits']) =>
    Object.fromEntries(Object.entries(counts).map(([place, count]) => [place, Math.min(count, MAX_COUNT)]))
  const { visits, transitions, globalEntries } = flow
  return {
    ...flow,
    visits: within(visits),
    transitions: Math.min(transitions, MAX_COUNT),
    globalEntries: within(globalEntries),
  }
}

/** Somebody who names a node wants to see it enter. */
function withPosition(before: FlowPosition | undefined, nodeId: string, path: readonly string[]): FlowPosition {
  const blank = { origins: [], visits: {}, transitions: 0, globalEntries: {} }
  return { ...blank, ...before, nodeId, path, phase: 'entering' }
}

function toMock({ tool_name: toolName, input_match_rule: rule, output, result }: ToolMockInput): ToolMock {
  return { toolName, output, ok: result ?? true, args: rule.type === 'any' ? null : (rule.args as JsonObject) }
}
