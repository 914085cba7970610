import type { Decision } from '@parley/contract/chat-turn'
import type { PlaygroundState } from '@parley/contract/dialogue-state'
import { type PlaygroundAnswer, type PlaygroundBody, runPlayground } from '@parley/contract/playground'
import type { ToolMockInput } from '@parley/contract/tool-mock'
import { testTool } from '@parley/contract/tool-test'
import { createChannel } from '@parley/engine/dialogue/channel'
import type {
  Conversation,
  DialogueEvent,
  DialogueState,
  FlowPosition,
  HistoryMessage,
  ToolCall,
  ToolMock,
  TurnInput,
} from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import type { JsonObject } from '@parley/engine/ports'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { checkModels, createAgentLoader, type PinnedAgent } from '../agents/public.ts'
import { buildActionRecord, buildTransitionRecord } from '../chats/public.ts'
import { disableSideEffects, type PlaygroundDependencies, type ToolTestService } from './tool-test-service.ts'

/** Id of a conversation that is not stored. */
const CONVERSATION_ID = 'chat_playground'

/** Builds the engine's input for the test turn. */
function buildTestTurn(
  body: PlaygroundBody,
  agent: PinnedAgent,
): { readonly conversation: Conversation; readonly input: TurnInput } {
  const messages = body.messages.flatMap(toHistoryMessages)
  const lastMessage = messages.at(-1)
  const isUserTurn = lastMessage?.role === 'user'
  const conversation: Conversation = {
    engine: agent.engine,
    channel: createChannel('chat'),
    state: toDialogueState(body, agent),
    history: isUserTurn ? messages.slice(0, -1) : messages,
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
    toolMocks: (body.tool_mocks ?? []).map(toToolMock),
  }
  return {
    conversation,
    input: isUserTurn ? { type: 'user-message', content: lastMessage.content } : { type: 'continue' },
  }
}

/** Converts a message for the engine. Skips transition records, because models do not see them. */
function toHistoryMessages(message: PlaygroundBody['messages'][number]): HistoryMessage[] {
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

function toDialogueState(body: PlaygroundBody, { engine }: PinnedAgent): DialogueState | null {
  const { state: requestedState, current_node_id: nodeId, current_state: stateName } = body
  if ((requestedState ?? null) === null && nodeId === undefined && stateName === undefined) return null
  const { kind, id, version } = engine
  const flowState = requestedState?.flow == null ? undefined : clampCounters(requestedState.flow)
  const flow = nodeId === undefined ? flowState : enterNode(flowState, nodeId, body.component_path ?? [])
  const name = stateName ?? requestedState?.stateName ?? undefined
  const approvals = (requestedState?.approvals ?? []).map(({ toolName, args }) => ({
    toolName,
    args: args as JsonObject,
  }))
  return {
    schema: 1,
    engine: { kind, id, version },
    collectedVariables: requestedState?.collectedVariables ?? {},
    ...(flow !== undefined && { flow }),
    ...(name !== undefined && { stateName: name }),
    ...(approvals.length > 0 && { approvals }),
  }
}

/** Upper bound for counters from clients, so that they remain safe integers when incremented. */
const MAX_COUNT = 1_000_000_000

function clampCounters(flow: FlowPosition): FlowPosition {
  const clampCounts = (counts: FlowPosition['visits']) =>
    Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Math.min(count, MAX_COUNT)]))
  const { visits, transitions, globalEntries } = flow
  return {
    ...flow,
    visits: clampCounts(visits),
    transitions: Math.min(transitions, MAX_COUNT),
    globalEntries: clampCounts(globalEntries),
  }
}

/** Moves the position to a node that the turn will enter. */
function enterNode(current: FlowPosition | undefined, nodeId: string, path: readonly string[]): FlowPosition {
  const initialPosition = { origins: [], visits: {}, transitions: 0, globalEntries: {} }
  return { ...initialPosition, ...current, nodeId, path, phase: 'entering' }
}

function toToolMock({ tool_name: toolName, input_match_rule: rule, output, result }: ToolMockInput): ToolMock {
  return { toolName, output, ok: result ?? true, args: rule.type === 'any' ? null : (rule.args as JsonObject) }
}

interface PlaygroundService {
  /** Runs one turn and returns the result without storing anything. Throws `not_found` or `model_not_configured`. */
  run(workspaceId: number, agentId: string, body: PlaygroundBody, signal: AbortSignal): Promise<PlaygroundAnswer>
}

export function createPlaygroundService(dependencies: PlaygroundDependencies): PlaygroundService {
  const { agents, models, createDialogueDependencies } = dependencies

  return {
    async run(workspaceId, agentId, body, signal) {
      const version = body.agent_version ?? 'latest'
      const [agent, workspaceModels] = await Promise.all([
        agents.preview({ workspaceId, agentId, version }),
        models.forWorkspace(workspaceId),
      ])
      checkModels(agent, workspaceModels)
      const { conversation, input } = buildTestTurn(body, agent)
      const loader = createAgentLoader((id, selectedVersion) =>
        agents.preview({ workspaceId, agentId: id, version: selectedVersion }),
      )
      const ports = disableSideEffects(createDialogueDependencies(workspaceId, workspaceModels.resolve), loader)
      const collector = new TurnCollector(conversation.state)
      for await (const event of respond(ports, conversation, input, signal)) collector.collect(event)
      return collector.buildResponse()
    },
  }
}

type Message = PlaygroundAnswer['messages'][number]

/** Collects the events of a turn into a response. */
class TurnCollector {
  readonly #messages: Message[] = []
  readonly #decisions: Decision[] = []
  readonly #passages: string[] = []
  #state: DialogueState | null
  #collectedVariables: Readonly<Record<string, string>>
  #hasEnded = false
  #error: PlaygroundAnswer['error'] = null

  constructor(state: DialogueState | null) {
    this.#state = state
    this.#collectedVariables = state?.collectedVariables ?? {}
  }

  collect(event: DialogueEvent): void {
    switch (event.type) {
      case 'message-end':
        this.#addMessage({
          role: 'assistant',
          content: event.content,
          tool_calls: event.toolCalls.map(toWireCall),
          incomplete: event.incomplete,
        })
        return
      case 'tool-result':
        this.#addMessage({ role: 'tool', content: event.content, name: event.name, tool_call_id: event.toolCallId })
        return
      case 'node-transition':
      case 'state-transition':
        this.#state = event.state
        this.#addMessage(buildTransitionRecord(event))
        return
      case 'action': {
        if (event.state !== undefined) this.#state = event.state
        if (event.action.type === 'end') this.#hasEnded = true
        const record = buildActionRecord(event.action)
        if (record !== null) this.#addMessage(record)
        return
      }
      case 'variables-collected':
        this.#collectedVariables = applyVariableUpdates(this.#collectedVariables, event.variables)
        return
      case 'explanation':
        this.#decisions.push({ ...event.explanation })
        if (event.explanation.type === 'knowledge-retrieved') {
          this.#passages.push(...event.explanation.passages.map(({ text }) => text))
        }
        return
      case 'turn-end':
        this.#state = event.state
        if (event.outcome === 'failed') this.#error = toPlaygroundError(event.failure)
        return
      case 'text-delta':
      case 'usage':
        return
    }
  }

  buildResponse(): PlaygroundAnswer {
    const state = this.#state
    const variables = { ...this.#collectedVariables }
    return {
      messages: this.#messages,
      current_node_id: state?.flow?.nodeId ?? null,
      component_path: [...(state?.flow?.path ?? [])],
      current_state: state?.stateName ?? null,
      dynamic_variables: variables,
      call_ended: this.#hasEnded,
      knowledge_base_retrieved_contents: this.#passages,
      decisions: this.#decisions,
      error: this.#error,
      state: toWireState(state, variables),
    }
  }

  #addMessage(message: Partial<Message> & Pick<Message, 'content'> & { readonly role: string }): void {
    const defaults = { name: '', tool_calls: [], tool_call_id: null, incomplete: false }
    this.#messages.push({ ...defaults, ...message, role: message.role as Message['role'] })
  }
}

function toWireCall({ id, name, argumentsText }: ToolCall): Message['tool_calls'][number] {
  return { id, type: 'function', function: { name, arguments: argumentsText } }
}

function toWireState(state: DialogueState | null, collectedVariables: Record<string, string>): PlaygroundState {
  const { flow, stateName = null, approvals = [] } = state ?? {}
  return {
    collectedVariables,
    stateName,
    flow: flow === undefined ? null : toWirePosition(flow),
    approvals: approvals.map(({ toolName, args }) => ({ toolName, args: { ...args } })),
  }
}

function toWirePosition({ nodeId, path, phase, origins, visits, transitions, globalEntries }: FlowPosition) {
  return {
    nodeId,
    path: [...path],
    phase,
    origins: origins.map((place) => ({ nodeId: place.nodeId, path: [...place.path] })),
    visits: { ...visits },
    transitions,
    globalEntries: { ...globalEntries },
  }
}

function toPlaygroundError({ kind, message }: { kind: string; message: string }): PlaygroundAnswer['error'] {
  return { code: kind === 'timeout' ? 'provider_timeout' : 'provider_error', message }
}

export function registerPlaygroundRoutes(api: Api, playground: PlaygroundService, toolTests: ToolTestService): void {
  implement(api, runPlayground, async ({ path, body }, { workspaceId }) => {
    return await playground.run(workspaceId, path.agentId, body, new AbortController().signal)
  })
  implement(api, testTool, ({ body }, { workspaceId }) =>
    toolTests.run(workspaceId, body, new AbortController().signal),
  )
}
