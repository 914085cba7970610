import type {
  Conversation,
  DialogueDependencies,
  DialogueEvent,
  Explanation,
  TurnEnd,
  TurnInput,
} from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import type { Clock, MakeId, ResolveModel } from '@parley/engine/ports'
import { BatchConflictError, type BatchStatement, type Database } from '../../../kernel/database.ts'
import type { AgentUse } from '../../../kernel/pinned-agent.ts'
import { actionRecord, transitionRecord } from '../../../kernel/record-messages.ts'
import { storableText, withoutNul } from '../../../kernel/storable-text.ts'
import type { ChatRow, MessageRow } from '../../../kernel/tables/chat-tables.ts'
import type { StoredUsage } from '../chat-cost.ts'
import type { ChatEvents } from '../chat-events.ts'
import { toMessage } from '../chat-store.ts'
import { isStored, type PatientWrites } from '../failover/patient-writes.ts'
import { endRetelling, type Retelling, retell } from '../failover/replay.ts'
import { TurnMemory } from './answer.ts'
import type { TurnOutcome, TurnRun } from './turn-run.ts'
import {
  appendStatements,
  finishStatements,
  type MessagePlace,
  type NewMessage,
  TURN_STATEMENT,
  toolCallsJson,
  toRow,
} from './turn-writes.ts'

export interface TurnDriverDependencies {
  readonly database: Database
  /** This process. */
  readonly nodes: { readonly nodeId: string }
  readonly makeId: MakeId
  readonly clock: Clock
  /** What the engine needs in a workspace beside its models: tools are signed with its secret. */
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly events: Pick<ChatEvents, 'said' | 'ended' | 'handOver'>
  readonly agents: AgentUse
  /** USD; `null` when the price is not known. */
  readonly costOf: (model: string, usage: Omit<StoredUsage, 'model' | 'cost'>) => number | null
}

/** The turn is another node's by now: nothing was written. */
export class TurnLostError extends Error {
  constructor() {
    super('another node took the turn over')
    this.name = 'TurnLostError'
  }
}

/** What a refused write of a turn means. */
export function orLost(error: unknown): unknown {
  return error instanceof BatchConflictError && error.statement === TURN_STATEMENT ? new TurnLostError() : error
}

/** Where the turn writes next. */
export interface TurnStart {
  readonly run: TurnRun
  readonly writes: PatientWrites
  readonly chat: ChatRow
  /** Finds the models that the workspace can use. */
  readonly resolveModel: ResolveModel
  /** Resolves when the user's message is on record. The model is asked meanwhile; nothing else is written or told before. */
  readonly begun: Promise<void>
  readonly conversation: Conversation
  readonly input: TurnInput
  /** Position of the turn's first new message. */
  readonly position: number
  /** Messages that the turn stored on a node that died. */
  readonly earlier: readonly MessageRow[]
  /** The message under way there, when words of it were told. */
  readonly retelling: Retelling | null
  readonly startedAt: number
}

/**
 * Drives the engine through one turn of a chat: turns its events into stored messages and stream events. A message with tool
 * calls is committed before the engine sends them; the rest of the turn is one commit at its end.
 */
export class TurnDriver {
  readonly #dependencies: TurnDriverDependencies
  readonly #start: TurnStart
  readonly #run: TurnRun
  #position: number
  #answer: TurnOutcome['messages']
  #retelling: Retelling | null
  #pending: NewMessage[] = []
  readonly #stored: MessageRow[] = []
  #usage: StoredUsage[] = []
  #explanation: Explanation[] = []
  readonly #memory: TurnMemory
  #firstTextMs: number | null = null
  #endsChat = false
  #end: TurnEnd | null = null

  constructor(dependencies: TurnDriverDependencies, start: TurnStart) {
    this.#dependencies = dependencies
    this.#start = start
    this.#run = start.run
    this.#position = start.position
    this.#answer = start.earlier.map(toMessage)
    this.#retelling = start.retelling
    this.#memory = new TurnMemory(start.chat, start.conversation)
  }

  get firstTextMs(): number | null {
    return this.#firstTextMs
  }

  /** The messages that the turn stored, as they are in the database. */
  get stored(): readonly MessageRow[] {
    return this.#stored
  }

  /** Runs the turn to its end and stores it. Rejects only when storing fails. */
  async drive(): Promise<TurnOutcome> {
    const { conversation, input, chat, resolveModel } = this.#start
    for await (const event of respond(
      this.#dependencies.dialogueFor(chat.workspace_id, resolveModel),
      conversation,
      input,
      this.#run.signal,
    )) {
      const committed = this.#take(event)
      if (committed !== null) await committed
    }
    return await this.#finish()
  }

  /** Handles one event; a promise is what must be on record before the engine goes on. */
  #take(event: DialogueEvent): Promise<void> | null {
    const { log } = this.#run
    switch (event.type) {
      case 'text-delta':
        this.#firstTextMs ??= this.#now() - this.#start.startedAt
        this.#tellWords(withoutNul(event.text))
        return null
      case 'message-end':
        return this.#endMessage(event)
      case 'tool-result': {
        const { toolCallId, name, content, ok } = event
        this.#add({ role: 'tool', content: event.fullContent, name, tool_call_id: toolCallId })
        return this.#commit(() =>
          log.append({ event: 'tool.result', data: { tool_call_id: toolCallId, name, content, successful: ok } }),
        )
      }
      case 'usage':
        this.#usage.push({
          model: event.model,
          ...event.usage,
          cost: this.#dependencies.costOf(event.model, event.usage),
        })
        return null
      case 'explanation':
        this.#explanation.push(event.explanation)
        return null
      case 'node-transition':
      case 'state-transition':
        this.#memory.become(event.state)
        this.#add(transitionRecord(event))
        return this.#commit(() => undefined)
      case 'action':
        return this.#act(event)
      case 'variables-collected':
        this.#memory.collect(event.variables)
        return null
      case 'turn-end':
        this.#end = event
        return null
    }
  }

  #act({ action, state }: Extract<DialogueEvent, { type: 'action' }>): Promise<void> | null {
    if (state !== undefined) this.#memory.become(state)
    const record = actionRecord(action)
    if (record !== null) this.#add(record)
    switch (action.type) {
      case 'end':
        this.#endsChat = true
        return null
      case 'send-sms':
        // Stored with the result of the call that sent it, or with the transition that follows.
        return null
      case 'agent-swap':
        return this.#memory.handOver(this.#dependencies, action, this.#now()).then(() => this.#commit(() => undefined))
    }
  }

  #endMessage(event: Extract<DialogueEvent, { type: 'message-end' }>): Promise<void> | null {
    this.#endRetelling()
    this.#add({
      role: 'assistant',
      content: event.content,
      tool_calls: toolCallsJson(event.toolCalls),
      incomplete: event.incomplete ? 1 : 0,
    })
    if (event.toolCalls.length === 0) return null
    return this.#commit(() => {
      for (const call of event.toolCalls) {
        const data = { tool_call_id: call.id, name: call.name, arguments: call.argumentsText }
        this.#run.log.append({ event: 'tool.call', data })
      }
    })
  }

  #tellWords(text: string): void {
    const { log } = this.#run
    if (this.#retelling === null) {
      log.append({ event: 'message.delta', data: { text } })
      return
    }
    const { events, retelling } = retell(this.#retelling, text)
    this.#retelling = retelling
    for (const event of events) log.append(event)
  }

  #endRetelling(): void {
    if (this.#retelling === null) return
    for (const event of endRetelling(this.#retelling)) this.#run.log.append(event)
    this.#retelling = null
  }

  #add(message: Omit<NewMessage, 'message_id'>): void {
    const { content, name = '' } = message
    this.#pending.push({
      ...message,
      content: storableText(content),
      name: storableText(name),
      message_id: this.#dependencies.makeId('message'),
      created_at: this.#now(),
    })
  }

  /** Stores what is pending; only then `tell` says what it is about: what was told is on record, whoever goes on. */
  async #commit(tell: () => void): Promise<void> {
    const { database } = this.#dependencies
    await this.#start.begun
    const place = this.#place()
    const progress = {
      messages: this.#pending,
      state: this.#memory.state,
      handedOver: this.#memory.handedOver,
      nodeId: this.#nodeId,
    }
    await this.#write(appendStatements(database, place, progress), 'running')
    tell()
    this.#announce(place)
  }

  async #finish(): Promise<TurnOutcome> {
    const { database } = this.#dependencies
    await this.#start.begun
    this.#endRetelling()
    const place = this.#place()
    const end = this.#end
    const status = end === null ? this.#run.stoppedAs : end.outcome
    const failure = end?.outcome === 'failed' ? toFailure(end) : null
    const endsChat = this.#endsChat && status === 'completed'
    const statements = finishStatements(database, {
      place,
      messages: this.#pending,
      status,
      error: failure,
      usage: this.#usage,
      explanation: this.#explanation,
      firstTextMs: this.#firstTextMs,
      // What is still to come: one event per message, the error if any, and `done`.
      eventCount: this.#run.log.lastId + this.#pending.length + (failure === null ? 1 : 2),
      state: this.#memory.stateAfter(end),
      handedOver: this.#memory.handedOver,
      endsChat,
      nodeId: this.#nodeId,
    })
    await this.#write([...statements, ...(await this.#tellEvents(endsChat))], status)
    this.#announce(place)
    if (failure !== null) this.#run.log.append({ event: 'error', data: { code: failure.code, error: failure.message } })
    return { status, messages: this.#answer, failure }
  }

  /** Those who hear of chats are told with what they are told of. */
  async #tellEvents(endsChat: boolean): Promise<BatchStatement[]> {
    const { events } = this.#dependencies
    // Named one by one: a row has many columns, and copying them all costs more than the rest of this function.
    const { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version } = this.#start.chat
    const { hand_overs } = this.#memory.handedOver ?? this.#start.chat
    const chat = { chat_id, workspace_id, agent_id, agent_version, engine_id, engine_version, hand_overs }
    const said = await events.said(chat)
    return endsChat ? [...said, ...events.ended(chat, 'agent')] : [...said]
  }

  async #write(statements: readonly BatchStatement[], status: string): Promise<void> {
    const { database } = this.#dependencies
    const { turnId } = this.#run
    const messageId = this.#pending.at(-1)?.message_id ?? null
    try {
      await this.#start.writes.write(statements, {
        wasWritten: () => isStored(database.read, { turnId, nodeId: this.#nodeId, status, messageId }),
        isHopeless: () => this.#run.isStopped && this.#run.stoppedAs === 'interrupted',
      })
    } catch (error) {
      throw orLost(error)
    }
  }

  /** Tells of messages that are now stored. */
  #announce(place: MessagePlace): void {
    const rows = this.#pending.map((message, index) => toRow(place, message, index))
    this.#stored.push(...rows)
    const messages = rows.map(toMessage)
    for (const message of messages) this.#run.log.append({ event: 'message.completed', data: { message } })
    this.#answer = [...this.#answer, ...messages]
    this.#position += this.#pending.length
    this.#pending = []
  }

  #place(): MessagePlace {
    return { chatId: this.#run.chatId, turnId: this.#run.turnId, position: this.#position, now: this.#now() }
  }

  get #nodeId(): string {
    return this.#dependencies.nodes.nodeId
  }

  #now(): number {
    return this.#dependencies.clock.now()
  }
}

function toFailure(end: Extract<TurnEnd, { outcome: 'failed' }>): NonNullable<TurnOutcome['failure']> {
  const code = end.failure.kind === 'timeout' ? 'provider_timeout' : 'provider_error'
  return { code, message: `The model could not answer: ${end.failure.message}` }
}
