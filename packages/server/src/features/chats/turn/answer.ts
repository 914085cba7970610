import type { Conversation, DialogueAction, DialogueState, TurnEnd } from '@parley/engine/dialogue/conversation'
import { type LearnedVariables, learnVariables } from '@parley/engine/dialogue/variables/learn-variables'
import type { AgentUse } from '../../../kernel/pinned-agent.ts'
import type { ChatRow } from '../../../kernel/tables/chat-tables.ts'
import type { ChatEvents } from '../chat-events.ts'
import { type HandedOver, type HandOver, readHandOvers } from './hand-overs.ts'

export interface TurnMemoryDependencies {
  readonly agents: AgentUse
  readonly events: Pick<ChatEvents, 'handOver'>
}

type Swap = Extract<DialogueAction, { type: 'agent-swap' }>

/** What a turn has changed so far of what its chat remembers: the engine's memory and who holds the chat. */
export class TurnMemory {
  readonly #chat: ChatRow
  readonly #before: Pick<Conversation, 'engine' | 'state'>
  #state: DialogueState | null = null
  #handOvers: readonly HandOver[]
  #handedOver: HandedOver | null = null

  constructor(chat: ChatRow, before: Pick<Conversation, 'engine' | 'state'>) {
    this.#chat = chat
    this.#before = before
    this.#handOvers = readHandOvers(chat)
  }

  /** The engine's memory as it is now; `null` while the turn has not changed it. */
  get state(): DialogueState | null {
    return this.#state
  }

  /** Columns of the chat that hand-overs of this turn change; `null` without any. */
  get handedOver(): HandedOver | null {
    return this.#handedOver
  }

  /** The chat as those who hear of it are to see it. */
  get chat(): ChatRow {
    return { ...this.#chat, ...this.#handedOver }
  }

  /** The engine said what its memory is. */
  become(state: DialogueState): void {
    this.#state = state
  }

  collect(variables: LearnedVariables): void {
    const { kind, id, version } = this.#before.engine
    const blank = { schema: 1, engine: { kind, id, version }, collectedVariables: {} } as const
    const known = this.#state ?? this.#before.state ?? blank
    this.#state = { ...known, collectedVariables: learnVariables(known.collectedVariables, variables) }
  }

  /** The chat is the other agent's from here on, also in what comes after it. */
  async handOver({ agents, events }: TurnMemoryDependencies, { agent, settings }: Swap, now: number): Promise<void> {
    const { engine } = this.#state ?? this.#before
    const { agentId, agentVersion } = agent
    const pin = { agentId, agentVersion, engineId: engine.id, engineVersion: engine.version }
    const { afterwards } = await agents.load({ ...pin, workspaceId: this.#chat.workspace_id })
    this.#handOvers = [...this.#handOvers, { ...pin, agentName: agent.agentName, at: now, settings }]
    const columns = events.handOver(this.chat, afterwards, now)
    this.#handedOver = { ...columns, hand_overs: JSON.stringify(this.#handOvers) }
  }

  /** What to store at the end: `null` where the chat has it already. */
  stateAfter(end: TurnEnd | null): DialogueState | null {
    if (end === null) return this.#state
    const { state } = this.#before
    const isSame = state !== null && JSON.stringify(state) === JSON.stringify(end.state)
    return isSame && this.#state === null ? null : end.state
  }
}
