import type { CustomLlmEvent } from '../../ports.ts'
import type { DialogueEvent, ToolCall } from '../conversation.ts'
import { endMessage } from '../llm/converse.ts'
import { truncateContent } from '../tools/tool-result.ts'
import type { Turn } from '../turn.ts'

/** Content for a tool call if the server returned no result. */
const NO_RESULT = 'The server returned no result.'

interface RecordedCall {
  readonly call: ToolCall
  /** The server's call ID, which the server may reuse. */
  readonly serverId: string
  readonly startedAtMs: number
  result: { readonly content: string; readonly durationMs: number } | null
}

/** Events that belong to a message. */
type MessageEvent = Extract<CustomLlmEvent, { type: 'text-delta' | 'tool-call' | 'tool-result' }>

/**
 * Splits a server's stream into messages. Text streams as it arrives, even while tools run. A message ends when all its calls
 * have results; later text starts the next message.
 */
export class CustomLlmMessage {
  readonly #turn: Turn
  #text = ''
  /** Leading whitespace, held back so that the listener never receives a blank answer. */
  #heldText = ''
  #calls: RecordedCall[] = []
  #hasSpoken = false
  #hasCalledTools = false

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Whether the open message has text. */
  get hasText(): boolean {
    return this.#text !== ''
  }

  /** Whether text was streamed, in this message or an earlier one. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** Whether the server called a tool. */
  get hasCalledTools(): boolean {
    return this.#hasCalledTools
  }

  async *handleEvent(event: MessageEvent): AsyncGenerator<DialogueEvent> {
    switch (event.type) {
      case 'text-delta':
        this.#heldText += event.text
        if (this.#heldText === '' || (this.#text === '' && this.#heldText.trim() === '')) return
        yield this.#flushText()
        return
      case 'tool-call':
        this.#recordCall(event.call)
        return
      case 'tool-result':
        if (this.#recordResult(event.toolCallId, event.content)) yield* this.close()
    }
  }

  /** Ends the open message and emits its calls and their results. */
  async *close(): AsyncGenerator<DialogueEvent> {
    const text = this.#text
    const calls = this.#calls
    this.#text = ''
    this.#heldText = ''
    this.#calls = []
    if (text === '' && calls.length === 0) return
    const toolCalls = calls.map(({ call }) => call)
    yield* endMessage(this.#turn, text, toolCalls)
    for (const { call, startedAtMs, result } of calls) {
      const fullContent = result?.content ?? NO_RESULT
      const durationMs = result?.durationMs ?? this.#nowMs() - startedAtMs
      const toolResult = { toolCallId: call.id, name: call.name, content: truncateContent(fullContent) }
      this.#turn.addMessage({ role: 'tool', ...toolResult })
      yield { type: 'tool-result', ...toolResult, fullContent, ok: result !== null, durationMs }
    }
  }

  /** Ends the open message after its stream failed. Drops its calls, which may be incomplete. */
  async *interrupt(): AsyncGenerator<DialogueEvent> {
    const content = this.#text
    this.#text = ''
    this.#calls = []
    if (content !== '') yield { type: 'message-end', content, toolCalls: [], incomplete: true }
  }

  #flushText(): DialogueEvent {
    const text = this.#heldText
    this.#heldText = ''
    this.#text += text
    this.#hasSpoken = true
    return { type: 'text-delta', text }
  }

  #recordCall({ id, name, argumentsText }: Extract<MessageEvent, { type: 'tool-call' }>['call']): void {
    this.#hasCalledTools = true
    const call = { id: this.#turn.dependencies.makeId('tool_call'), name, argumentsText }
    this.#calls.push({ call, serverId: id, startedAtMs: this.#nowMs(), result: null })
  }

  /** Records a result and returns whether all calls of the message now have one. */
  #recordResult(serverId: string, toolResult: string): boolean {
    const pendingCall = this.#calls.find((call) => call.serverId === serverId && call.result === null)
    if (pendingCall === undefined) return false
    // Vendors reject empty tool messages, and a handover can send this history to a vendor.
    const content = toolResult.trim() === '' ? 'Done, nothing was returned.' : toolResult
    pendingCall.result = { content, durationMs: this.#nowMs() - pendingCall.startedAtMs }
    return this.#calls.every(({ result }) => result !== null)
  }

  #nowMs(): number {
    return this.#turn.dependencies.clock.now()
  }
}
