import type { CustomLlmEvent } from '../../ports.ts'
import type { DialogueEvent, ToolCall } from '../conversation.ts'
import { endMessage } from '../llm/converse.ts'
import { truncateContent } from '../tools/tool-result.ts'
import type { Turn } from '../turn.ts'

/** Told where a server called a tool and never said what came of it. */
const NO_RESULT = 'The server told no result.'

interface RecordedCall {
  readonly call: ToolCall
  /** The server's own, which it may use again. */
  readonly serverId: string
  readonly startedMs: number
  result: { readonly content: string; readonly durationMs: number } | null
}

/** What a server says and does of its own accord while it answers. */
type SpokenEvent = Extract<CustomLlmEvent, { type: 'text-delta' | 'tool-call' | 'tool-result' }>

/**
 * Puts a server's stream into messages: text is told as it comes, also while tools run; a message is closed when all its calls
 * have a result, and the text after that is the next one.
 */
export class SpokenMessage {
  readonly #turn: Turn
  #text = ''
  /** Whitespace before the first word: an answer of nothing else must never reach the listener. */
  #held = ''
  #calls: RecordedCall[] = []
  #spoken = false
  #hasCalledTools = false

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** The message that is open has words. */
  get hasText(): boolean {
    return this.#text !== ''
  }

  /** Words were told, in this message or an earlier one. */
  get hasSpoken(): boolean {
    return this.#spoken
  }

  /** The server called a tool. */
  get hasActed(): boolean {
    return this.#hasCalledTools
  }

  async *take(event: SpokenEvent): AsyncGenerator<DialogueEvent> {
    switch (event.type) {
      case 'text-delta':
        this.#held += event.text
        if (this.#held === '' || (this.#text === '' && this.#held.trim() === '')) return
        yield this.#messageEndEvent()
        return
      case 'tool-call':
        this.#note(event.call)
        return
      case 'tool-result':
        if (this.#answer(event.toolCallId, event.content)) yield* this.close()
    }
  }

  /** Ends the open message, if there is one, with its calls and their results. */
  async *close(): AsyncGenerator<DialogueEvent> {
    const text = this.#text
    const calls = this.#calls
    this.#text = ''
    this.#held = ''
    this.#calls = []
    if (text === '' && calls.length === 0) return
    const toolCalls = calls.map(({ call }) => call)
    yield* endMessage(this.#turn, text, toolCalls)
    for (const { call, startedMs, result } of calls) {
      const fullContent = result?.content ?? NO_RESULT
      const durationMs = result?.durationMs ?? this.#nowMs() - startedMs
      const toolResult = { toolCallId: call.id, name: call.name, content: truncateContent(fullContent) }
      this.#turn.add({ role: 'tool', ...toolResult })
      yield { type: 'tool-result', ...toolResult, fullContent, ok: result !== null, durationMs }
    }
  }

  /** Ends the open message where its stream broke off; calls that it had are not known to be complete. */
  async *breakOff(): AsyncGenerator<DialogueEvent> {
    const content = this.#text
    this.#text = ''
    this.#calls = []
    if (content !== '') yield { type: 'message-end', content, toolCalls: [], incomplete: true }
  }

  #messageEndEvent(): DialogueEvent {
    const text = this.#held
    this.#held = ''
    this.#text += text
    this.#spoken = true
    return { type: 'text-delta', text }
  }

  #note({ id, name, argumentsText }: Extract<SpokenEvent, { type: 'tool-call' }>['call']): void {
    this.#hasCalledTools = true
    const call = { id: this.#turn.dependencies.makeId('tool_call'), name, argumentsText }
    this.#calls.push({ call, serverId: id, startedMs: this.#nowMs(), result: null })
  }

  /** Notes a result; whether all calls of the message have one now. */
  #answer(serverId: string, toolResult: string): boolean {
    const answered = this.#calls.find((call) => call.serverId === serverId && call.result === null)
    if (answered === undefined) return false
    // Providers refuse tool messages without content, and the conversation may be handed over to one.
    const content = toolResult.trim() === '' ? 'Done, nothing was returned.' : toolResult
    answered.result = { content, durationMs: this.#nowMs() - answered.startedMs }
    return this.#calls.every(({ result }) => result !== null)
  }

  #nowMs(): number {
    return this.#turn.dependencies.clock.now()
  }
}
