import type {
  Conversation,
  DialogueDependencies,
  DialogueEvent,
  DialogueState,
  Explanation,
  TurnEnd,
  TurnInput,
} from '@parley/engine/dialogue/conversation'
import { respond } from '@parley/engine/dialogue/respond'
import type { Clock, MakeId, ResolveModel } from '@parley/engine/ports'
import type { Database } from '../../kernel/database.ts'
import type { MessageRow } from '../../kernel/tables/chat-tables.ts'
import type { StoredUsage } from './chat-cost.ts'
import { toMessage } from './chat-store.ts'
import { storableText, withoutNul } from './storable-text.ts'
import type { TurnOutcome, TurnRun } from './turn-run.ts'
import {
  appendStatements,
  finishStatements,
  type MessagePlace,
  type NewMessage,
  toolCallsJson,
  toRow,
} from './turn-writes.ts'

export interface TurnDriverDependencies {
  readonly database: Database
  readonly makeId: MakeId
  readonly clock: Clock
  /** What the engine needs in a workspace beside its models: tools are signed with its secret. */
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  /** USD; `null` when the price is not known. */
  readonly costOf: (model: string, usage: Omit<StoredUsage, 'model' | 'cost'>) => number | null
}

/** Where the turn writes next. */
export interface TurnStart {
  readonly run: TurnRun
  readonly workspaceId: number
  /** Finds the models that the workspace can use. */
  readonly resolveModel: ResolveModel
  /** Resolves when the user's message is on record. The model is asked meanwhile; nothing else is written or told before. */
  readonly begun: Promise<void>
  readonly conversation: Conversation
  readonly input: TurnInput
  /** Position of the turn's first new message. */
  readonly position: number
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
  #answer: TurnOutcome['messages'] = []
  #pending: NewMessage[] = []
  readonly #stored: MessageRow[] = []
  #usage: StoredUsage[] = []
  #explanation: Explanation[] = []
  #collected: Readonly<Record<string, string>> | null = null
  #firstTextMs: number | null = null
  #endsChat = false
  #end: TurnEnd | null = null

  constructor(dependencies: TurnDriverDependencies, start: TurnStart) {
    this.#dependencies = dependencies
    this.#start = start
    this.#run = start.run
    this.#position = start.position
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
    const { conversation, input, workspaceId, resolveModel } = this.#start
    for await (const event of respond(
      this.#dependencies.dialogueFor(workspaceId, resolveModel),
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
        log.append({ event: 'message.delta', data: { text: withoutNul(event.text) } })
        return null
      case 'message-end':
        return this.#endMessage(event)
      case 'tool-result': {
        const { toolCallId, name, content, ok } = event
        log.append({ event: 'tool.result', data: { tool_call_id: toolCallId, name, content, successful: ok } })
        this.#add({ role: 'tool', content: event.fullContent, name, tool_call_id: toolCallId })
        return this.#commit()
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
      case 'action':
        this.#endsChat = true
        return null
      case 'variables-collected':
        this.#collected = { ...this.#collected, ...event.variables }
        return null
      case 'turn-end':
        this.#end = event
        return null
    }
  }

  #endMessage(event: Extract<DialogueEvent, { type: 'message-end' }>): Promise<void> | null {
    this.#add({
      role: 'assistant',
      content: event.content,
      tool_calls: toolCallsJson(event.toolCalls),
      incomplete: event.incomplete ? 1 : 0,
    })
    if (event.toolCalls.length === 0) return null
    for (const call of event.toolCalls) {
      this.#run.log.append({
        event: 'tool.call',
        data: { tool_call_id: call.id, name: call.name, arguments: call.argumentsText },
      })
    }
    return this.#commit()
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

  async #commit(): Promise<void> {
    const { database } = this.#dependencies
    await this.#start.begun
    const place = this.#place()
    await database.batch(appendStatements(database, place, { messages: this.#pending, state: this.#stateSoFar() }))
    this.#announce(place)
  }

  async #finish(): Promise<TurnOutcome> {
    const { database } = this.#dependencies
    await this.#start.begun
    const place = this.#place()
    const end = this.#end
    const status = end === null ? this.#run.stoppedAs : end.outcome
    const failure = end?.outcome === 'failed' ? toFailure(end) : null
    await database.batch(
      finishStatements(database, {
        place,
        messages: this.#pending,
        status,
        error: failure,
        usage: this.#usage,
        explanation: this.#explanation,
        firstTextMs: this.#firstTextMs,
        // What is still to come: one event per message, the error if any, and `done`.
        eventCount: this.#run.log.count + this.#pending.length + (failure === null ? 1 : 2),
        state: this.#stateToStore(end),
        endsChat: this.#endsChat && status === 'completed',
      }),
    )
    this.#announce(place)
    if (failure !== null) this.#run.log.append({ event: 'error', data: { code: failure.code, error: failure.message } })
    return { status, messages: this.#answer, failure }
  }

  /** A state like the one the chat has is not written again. */
  #stateToStore(end: TurnEnd | null): DialogueState | null {
    if (end === null) return this.#stateSoFar()
    const before = this.#start.conversation.state
    const same = before !== null && JSON.stringify(before) === JSON.stringify(end.state)
    return same ? null : end.state
  }

  /** What was learned in the middle of a turn; `null` when there is nothing new. */
  #stateSoFar(): DialogueState | null {
    if (this.#collected === null) return null
    const { engine, state } = this.#start.conversation
    const { kind, id, version } = engine
    return {
      schema: 1,
      engine: { kind, id, version },
      collectedVariables: { ...state?.collectedVariables, ...this.#collected },
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

  #now(): number {
    return this.#dependencies.clock.now()
  }
}

function toFailure(end: Extract<TurnEnd, { outcome: 'failed' }>): NonNullable<TurnOutcome['failure']> {
  const code = end.failure.kind === 'timeout' ? 'provider_timeout' : 'provider_error'
  return { code, message: `The model could not answer: ${end.failure.message}` }
}
