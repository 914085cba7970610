import type { HistoryMessage } from '../../dialogue/conversation.ts'
import type { JsonObject } from '../../ports.ts'
import type { FullText } from '../turn-machine/effects.ts'
import { haveSameWords } from '../turn-machine/words/split-words.ts'
import { type HeardSpeechOf, heardFullText, type Reply } from './reply.ts'

type Entry =
  | { readonly type: 'message'; readonly message: HistoryMessage }
  | { readonly type: 'reply'; readonly reply: Reply }
  /** Said without a model: an opening, a line, what somebody wanted said. */
  | { readonly type: 'utterance'; readonly utteranceIds: string[]; readonly fullText: FullText | null }

/** What is remembered of a call: what the caller said and what the caller heard. */
export class CallHistory {
  readonly #heardSpeechOf: HeardSpeechOf
  #entries: Entry[] = []
  /** Text of utterances whose hearing is over. */
  readonly #settled = new Map<string, ReturnType<HeardSpeechOf>>()

  constructor(heardSpeechOf: HeardSpeechOf) {
    this.#heardSpeechOf = (utteranceId) => this.#settled.get(utteranceId) ?? heardSpeechOf(utteranceId)
  }

  addUser(content: string): void {
    this.#entries.push({ type: 'message', message: { role: 'user', content } })
  }

  addSystem(content: string): void {
    this.#entries.push({ type: 'message', message: { role: 'system', content } })
  }

  addReply(reply: Reply): void {
    if (!this.#entries.some((entry) => entry.type === 'reply' && entry.reply === reply)) {
      this.#entries.push({ type: 'reply', reply })
    }
  }

  /** `whole`: the text that it is a piece of. */
  addUtterance(utteranceId: string, fullText: FullText | null): void {
    const known =
      fullText === null
        ? undefined
        : this.#entries.findLast((entry) => isUtterance(entry) && entry.fullText?.id === fullText.id)
    if (known !== undefined && isUtterance(known)) known.utteranceIds.push(utteranceId)
    else this.#entries.push({ type: 'utterance', utteranceIds: [utteranceId], fullText })
  }

  /** What was heard of an utterance is final. */
  settle(utteranceId: string): void {
    if (!this.#settled.has(utteranceId)) this.#settled.set(utteranceId, this.#heardSpeechOf(utteranceId))
  }

  heard(utteranceId: string): ReturnType<HeardSpeechOf> {
    return this.#heardSpeechOf(utteranceId)
  }

  /** Oldest first. */
  messages(): HistoryMessage[] {
    return this.#entries.flatMap((entry) => this.#messagesOf(entry))
  }

  /**
   * What a generation is given that answers this text: the history up to it. `again`: without the replies that came after it where
   * they did nothing, since they are made once more. `null`: they did something, so that the history has to be taken up as it is.
   */
  before(text: string, again: boolean): HistoryMessage[] | null {
    const index = this.#entries.findLastIndex((entry) => entry.type === 'message' && entry.message.role === 'user')
    const entry = this.#entries[index]
    const after = this.#entries.slice(index + 1)
    const isAnswered = after.some(({ type }) => type === 'reply')
    // The same words of an earlier turn are not these; those of a turn that was answered on trial may be written differently.
    const isThis = entry?.type === 'message' && haveSameWords(entry.message.content, text)
    if (!isThis || (isAnswered && !again)) return this.messages()
    if (after.some(hasToolCalls)) return null
    const others = after.filter(({ type }) => type !== 'reply')
    return [...this.#entries.slice(0, index), ...others].flatMap((one) => this.#messagesOf(one))
  }

  /** As tools are told of it. */
  transcript(): readonly JsonObject[] {
    return this.messages().flatMap(toToolTranscript)
  }

  #messagesOf(entry: Entry): HistoryMessage[] {
    if (entry.type === 'message') return [entry.message]
    if (entry.type === 'reply') return entry.reply.history(this.#heardSpeechOf)
    const text = heardFullText(entry.utteranceIds.map(this.#heardSpeechOf), entry.fullText)
    return text === '' ? [] : [{ role: 'assistant', content: text, toolCalls: [] }]
  }
}

function isUtterance(entry: Entry): entry is Extract<Entry, { type: 'utterance' }> {
  return entry.type === 'utterance'
}

function hasToolCalls(entry: Entry): boolean {
  return entry.type === 'reply' && entry.reply.messages.some(({ toolCalls }) => toolCalls.length > 0)
}

function toToolTranscript(message: HistoryMessage): readonly JsonObject[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content }]
    case 'assistant': {
      const calls = message.toolCalls.map(({ id, name, argumentsText }) => {
        return { role: 'tool_call_invocation', tool_call_id: id, name, arguments: argumentsText }
      })
      return message.content === '' ? calls : [{ role: 'agent', content: message.content }, ...calls]
    }
    case 'tool':
      return [{ role: 'tool_call_result', tool_call_id: message.toolCallId, content: message.content }]
    case 'system':
      return [{ role: 'injected', content: message.content }]
  }
}
