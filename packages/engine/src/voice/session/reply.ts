import type { DialogueState, HistoryMessage, ToolCall } from '../../dialogue/conversation.ts'
import { joinClauses } from '../speaking/heard-text.ts'
import { stripMarkup } from '../speaking/strip-markup.ts'
import type { FullText } from '../turn-machine/effects.ts'

/** Tells what was heard of an utterance so far. */
export type HeardSpeechOf = (utteranceId: string) => { readonly text: string; readonly complete: boolean }

/** One message of a reply: what the model wrote, and the utterances that it is spoken in. */
export interface ReplyMessage {
  readonly id: string
  generated: string
  isEnded: boolean
  readonly utterances: string[]
  toolCalls: readonly ToolCall[]
  readonly results: { readonly toolCallId: string; readonly name: string; readonly content: string }[]
}

/** What one generation says and does, message by message. */
export class Reply {
  readonly messages: ReplyMessage[] = []

  /** The message that is being written; begins one where none is. */
  current(makeMessageId: () => string): ReplyMessage {
    const last = this.messages.at(-1)
    if (last !== undefined && !last.isEnded) return last
    const message: ReplyMessage = {
      id: makeMessageId(),
      generated: '',
      isEnded: false,
      utterances: [],
      toolCalls: [],
      results: [],
    }
    this.messages.push(message)
    return message
  }

  /** Whether words lead up to what is called now: in the same message, or in one of their own since the calls before. */
  get hasLeadIn(): boolean {
    const before = this.messages.slice(0, -1).findLastIndex(({ toolCalls }) => toolCalls.length > 0)
    return this.messages.slice(before + 1).some(({ generated }) => generated.trim() !== '')
  }

  messageOf(utteranceId: string): ReplyMessage | null {
    return this.messages.find(({ utterances }) => utterances.includes(utteranceId)) ?? null
  }

  /** A result belongs behind its call, whenever it comes. */
  addResult(result: ReplyMessage['results'][number]): void {
    const message = this.messages.find(({ toolCalls }) => toolCalls.some(({ id }) => id === result.toolCallId))
    message?.results.push(result)
  }

  /** As a model is to remember it: what was heard, what was called and what came of it. What nobody heard was not said. */
  history(heardSpeechOf: HeardSpeechOf): HistoryMessage[] {
    return this.messages.flatMap((message): HistoryMessage[] => {
      const content = heardContent(message, heardSpeechOf)
      const { toolCalls, results } = message
      if (content === '' && toolCalls.length === 0) return []
      const toolMessages = results.map((result) => ({ role: 'tool', ...result }) as const)
      return [{ role: 'assistant', content, toolCalls }, ...toolMessages]
    })
  }
}

/** What was heard of a message: the whole of it as it was written, or the clauses up to where it was cut. */
export function heardContent(message: ReplyMessage, heardSpeechOf: HeardSpeechOf): string {
  const heard = message.utterances.map(heardSpeechOf)
  const isWhole = message.isEnded && heard.length > 0 && heard.every(({ complete }) => complete)
  return isWhole ? message.generated.trim() : joinClauses(heard.map(({ text }) => text))
}

/** What was heard of a text that was spoken in pieces, or in one where `whole` is `null`. */
export function heardFullText(heard: readonly ReturnType<HeardSpeechOf>[], fullText: FullText | null): string {
  const isWhole = fullText !== null && heard.length === fullText.parts && heard.every(({ complete }) => complete)
  return isWhole ? stripMarkup(fullText.text).text.trim() : joinClauses(heard.map(({ text }) => text))
}

/**
 * The memory with the place in a flow counted in messages that were heard: a node may have been entered behind messages that
 * nobody heard, and those are not in the history.
 */
export function fitState(state: DialogueState | null, messageCount: number): DialogueState | null {
  const { flow } = state ?? {}
  if (state === null || flow?.messagesBefore === undefined || flow.messagesBefore <= messageCount) return state
  return { ...state, flow: { ...flow, messagesBefore: messageCount } }
}
