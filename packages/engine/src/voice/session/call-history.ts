import type { HistoryMessage } from '../../dialogue/conversation.ts'
import type { JsonObject } from '../../ports.ts'
import type { FullText } from '../turn-machine/events.ts'
import { haveSameWords } from '../turn-machine/words/split-words.ts'
import { type GetHeardSpeech, getHeardFullText, type Reply } from './utterances.ts'

type Entry =
  | { readonly type: 'message'; readonly message: HistoryMessage }
  | { readonly type: 'reply'; readonly reply: Reply }
  /** Speech without a model: an opening, a filler or a `say` command. */
  | { readonly type: 'utterance'; readonly utteranceIds: string[]; readonly fullText: FullText | null }

/** A call's conversation history: what the caller said and heard. */
export class CallHistory {
  readonly #getHeardSpeech: GetHeardSpeech
  #entries: Entry[] = []
  /** Text of finished utterances. */
  readonly #frozenSpeech = new Map<string, ReturnType<GetHeardSpeech>>()

  constructor(getHeardSpeech: GetHeardSpeech) {
    this.#getHeardSpeech = (utteranceId) => this.#frozenSpeech.get(utteranceId) ?? getHeardSpeech(utteranceId)
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

  /** Adds an utterance. `fullText` is the text that contains the utterance, or `null`. */
  addUtterance(utteranceId: string, fullText: FullText | null): void {
    const existing =
      fullText === null
        ? undefined
        : this.#entries.findLast((entry) => isUtterance(entry) && entry.fullText?.id === fullText.id)
    if (existing !== undefined && isUtterance(existing)) existing.utteranceIds.push(utteranceId)
    else this.#entries.push({ type: 'utterance', utteranceIds: [utteranceId], fullText })
  }

  /** Freezes the heard part of an utterance. */
  freeze(utteranceId: string): void {
    if (!this.#frozenSpeech.has(utteranceId)) this.#frozenSpeech.set(utteranceId, this.#getHeardSpeech(utteranceId))
  }

  getHeard(utteranceId: string): ReturnType<GetHeardSpeech> {
    return this.#getHeardSpeech(utteranceId)
  }

  /** Returns the messages, oldest first. */
  listMessages(): HistoryMessage[] {
    return this.#entries.flatMap((entry) => this.#toMessages(entry))
  }

  /**
   * Returns the history before a user text, for a new generation. `isRepeat` omits replies to that text. Returns `null` if
   * those replies called tools, because the generation must then continue from the full history.
   */
  getHistoryBefore(text: string, isRepeat: boolean): HistoryMessage[] | null {
    const index = this.#entries.findLastIndex((entry) => entry.type === 'message' && entry.message.role === 'user')
    const entry = this.#entries[index]
    const laterEntries = this.#entries.slice(index + 1)
    const isAnswered = laterEntries.some(({ type }) => type === 'reply')
    // Compare by words, because a speculative turn's text may be spelled differently.
    const isSameText = entry?.type === 'message' && haveSameWords(entry.message.content, text)
    if (!isSameText || (isAnswered && !isRepeat)) return this.listMessages()
    if (laterEntries.some(hasToolCalls)) return null
    const remainingEntries = laterEntries.filter(({ type }) => type !== 'reply')
    return [...this.#entries.slice(0, index), ...remainingEntries].flatMap((entry) => this.#toMessages(entry))
  }

  /** Returns the transcript in the format for tools. */
  getTranscript(): readonly JsonObject[] {
    return this.listMessages().flatMap(toToolTranscript)
  }

  #toMessages(entry: Entry): HistoryMessage[] {
    if (entry.type === 'message') return [entry.message]
    if (entry.type === 'reply') return entry.reply.buildHistory(this.#getHeardSpeech)
    const text = getHeardFullText(entry.utteranceIds.map(this.#getHeardSpeech), entry.fullText)
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
