import type { Decision } from '@parley/contract/chat-turn'
import type { PlaygroundState } from '@parley/contract/dialogue-state'
import type { PlaygroundAnswer, PlaygroundBody } from '@parley/contract/playground'
import type { DialogueEvent, DialogueState, FlowPosition, ToolCall } from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import { applyVariableUpdates } from '@parley/engine/dialogue/variables/variable-updates'
import { checkModels, createAgentLoader } from '../agents/public.ts'
import { actionRecord, transitionRecord } from '../chats/public.ts'
import { toPlayground } from './playground-conversation.ts'
import { type PlaygroundDependencies, withoutSideEffects } from './playground-ports.ts'

export interface PlaygroundService {
  /** Runs one turn and tells all of it; stores nothing. Throws `not_found` and `model_not_configured`. */
  run(workspaceId: number, agentId: string, body: PlaygroundBody, signal: AbortSignal): Promise<PlaygroundAnswer>
}

export function createPlaygroundService(dependencies: PlaygroundDependencies): PlaygroundService {
  const { agents, models, dialogueFor } = dependencies

  return {
    async run(workspaceId, agentId, body, signal) {
      const version = body.agent_version ?? 'latest'
      const [agent, usable] = await Promise.all([
        agents.preview({ workspaceId, agentId, version }),
        models.forWorkspace(workspaceId),
      ])
      checkModels(agent, usable)
      const { conversation, input } = toPlayground(body, agent)
      const loader = createAgentLoader((id, chosen) => agents.preview({ workspaceId, agentId: id, version: chosen }))
      const ports = withoutSideEffects(dialogueFor(workspaceId, usable.resolve), loader)
      const collector = new TurnCollector(conversation.state)
      for await (const event of respond(ports, conversation, input, signal)) collector.collect(event)
      return collector.answer()
    },
  }
}

type Message = PlaygroundAnswer['messages'][number]

/** What a turn adds, as the answer tells it. */
class TurnCollector {
  readonly #messages: Message[] = []
  readonly #decisions: Decision[] = []
  readonly #passages: string[] = []
  #state: DialogueState | null
  #collected: Readonly<Record<string, string>>
  #ended = false
  #error: PlaygroundAnswer['error'] = null

  constructor(state: DialogueState | null) {
    this.#state = state
    this.#collected = state?.collectedVariables ?? {}
  }

  collect(event: DialogueEvent): void {
    switch (event.type) {
      case 'message-end':
        this.#add({
          role: 'assistant',
          content: event.content,
          tool_calls: event.toolCalls.map(toWireCall),
          incomplete: event.incomplete,
        })
        return
      case 'tool-result':
        this.#add({ role: 'tool', content: event.content, name: event.name, tool_call_id: event.toolCallId })
        return
      case 'node-transition':
      case 'state-transition':
        this.#state = event.state
        this.#add(transitionRecord(event))
        return
      case 'action': {
        if (event.state !== undefined) this.#state = event.state
        if (event.action.type === 'end') this.#ended = true
        const record = actionRecord(event.action)
        if (record !== null) this.#add(record)
        return
      }
      case 'variables-collected':
        this.#collected = applyVariableUpdates(this.#collected, event.variables)
        return
      case 'explanation':
        this.#decisions.push({ ...event.explanation })
        if (event.explanation.type === 'knowledge-retrieved') {
          this.#passages.push(...event.explanation.passages.map(({ text }) => text))
        }
        return
      case 'turn-end':
        this.#state = event.state
        if (event.outcome === 'failed') this.#error = toError(event.failure)
        return
      case 'text-delta':
      case 'usage':
        return
    }
  }

  answer(): PlaygroundAnswer {
    const state = this.#state
    const variables = { ...this.#collected }
    return {
      messages: this.#messages,
      current_node_id: state?.flow?.nodeId ?? null,
      component_path: [...(state?.flow?.path ?? [])],
      current_state: state?.stateName ?? null,
      dynamic_variables: variables,
      call_ended: this.#ended,
      knowledge_base_retrieved_contents: this.#passages,
      decisions: this.#decisions,
      error: this.#error,
      state: toWireState(state, variables),
    }
  }

  #add(message: Partial<Message> & Pick<Message, 'content'> & { readonly role: string }): void {
    const blank = { name: '', tool_calls: [], tool_call_id: null, incomplete: false }
    this.#messages.push({ ...blank, ...message, role: message.role as Message['role'] })
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

function toError({ kind, message }: { kind: string; message: string }): PlaygroundAnswer['error'] {
  return { code: kind === 'timeout' ? 'provider_timeout' : 'provider_error', message }
}
