import type { Playout } from '../../audio/playout.ts'
import type { DialogueState, HistoryMessage, ToolCall } from '../../dialogue/conversation.ts'
import { findOffsetAfterWords, getHeardText, joinClauses } from '../speaking/heard-text.ts'
import type { PreparedSpeech } from '../speaking/prepare-speech.ts'
import { stripMarkup } from '../speaking/strip-markup.ts'
import type { FullText, UtteranceKind } from '../turn-machine/events.ts'

/** One spoken unit of the agent. */
export interface Utterance {
  readonly id: string
  readonly generation: number | null
  /** The utterance's turn, or `null` if the utterance is unprompted or its generation determines the turn. */
  readonly turnId: string | null
  readonly kind: UtteranceKind
  /** The text as written. */
  readonly text: string
  readonly prepared: PreparedSpeech
  /** The text that contains the utterance, or `null` for complete texts and replies. */
  readonly fullText: FullText | null
  /** Maps the utterance's audio positions to the times at which the caller hears them. */
  readonly timeline: ReturnType<typeof createPlaybackTimeline>
  /** Playback time of the first sample, or `null` before playback. */
  startedAtMs: number | null
  endedAtMs: number | null
  /** End of the spoken part of `prepared.text`, or `null` if the entire text was synthesized. */
  spokenUntil: number | null
}

/** Creates a timeline that maps an utterance's positions to the times at which the caller hears them, across pauses. */
export function createPlaybackTimeline() {
  let segments: { readonly offsetMs: number; readonly atMs: number }[] = []
  return {
    /** Records that playback continues at this position and time. */
    resumeAt(offsetMs: number, atMs: number): void {
      // Repeated audio counts with its last time.
      segments = [...segments.filter((segment) => segment.offsetMs < offsetMs), { offsetMs, atMs }]
    },
    /** Returns the time at which the caller hears the start or end of an item at this position. */
    getTimeAt(offsetMs: number, edge: 'start' | 'end'): number {
      // Speech resumes at a whole sample, which may differ from the word edge.
      const position = edge === 'start' ? offsetMs + 1 : offsetMs - 1
      const segment = segments.findLast((candidate) => candidate.offsetMs <= position) ?? segments[0]
      return segment === undefined ? 0 : segment.atMs + offsetMs - segment.offsetMs
    },
  }
}

/** The heard part of an utterance. */
export interface HeardUtterance {
  /** The text as written. */
  readonly text: string
  readonly complete: boolean
  /** Words with clock times. */
  readonly words: readonly { readonly word: string; readonly startMs: number; readonly endMs: number }[]
  readonly endMs: number
}

const NOT_HEARD: HeardUtterance = { text: '', complete: false, words: [], endMs: 0 }

/** Returns what the caller has heard so far, as written. */
export function getHeardUtterance(utterance: Utterance | undefined, playout: Playout): HeardUtterance {
  if (utterance === undefined || utterance.startedAtMs === null) return NOT_HEARD
  const { startedAtMs, text, prepared, timeline } = utterance
  const playback = playout.getHeard(utterance.id)
  const words = playback.words.map((word) => ({
    word: word.text,
    startMs: Math.round(timeline.getTimeAt(word.startMs, 'start')),
    endMs: Math.round(timeline.getTimeAt(word.endMs, 'end')),
  }))
  const endMs = utterance.endedAtMs ?? words.at(-1)?.endMs ?? startedAtMs
  if (playback.complete && utterance.spokenUntil === null) return { text: text.trim(), complete: true, words, endMs }
  const spokenOffset = findOffsetAfterWords(
    prepared.text,
    playback.words.map((word) => word.text),
  )
  // A text is complete only if its audio is, even after its last word was heard.
  const offset = Math.min(spokenOffset, utterance.spokenUntil ?? spokenOffset)
  return { text: getHeardText(text, prepared, offset), complete: false, words, endMs }
}

/** Returns the part of an utterance that the caller has heard so far. */
export type GetHeardSpeech = (utteranceId: string) => { readonly text: string; readonly complete: boolean }

/** A reply's message with its utterances. */
export interface ReplyMessage {
  readonly id: string
  generated: string
  isEnded: boolean
  readonly utterances: string[]
  toolCalls: readonly ToolCall[]
  readonly results: { readonly toolCallId: string; readonly name: string; readonly content: string }[]
}

/** The speech and actions of one generation, message by message. */
export class Reply {
  readonly messages: ReplyMessage[] = []

  /** Returns the open message, or starts a new one. */
  getOpenMessage(makeMessageId: () => string): ReplyMessage {
    const lastMessage = this.messages.at(-1)
    if (lastMessage !== undefined && !lastMessage.isEnded) return lastMessage
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

  /** Whether text precedes the current tool calls, in the same message or in one since the previous calls. */
  get hasLeadIn(): boolean {
    const lastCallIndex = this.messages.slice(0, -1).findLastIndex(({ toolCalls }) => toolCalls.length > 0)
    return this.messages.slice(lastCallIndex + 1).some(({ generated }) => generated.trim() !== '')
  }

  findMessage(utteranceId: string): ReplyMessage | null {
    return this.messages.find(({ utterances }) => utterances.includes(utteranceId)) ?? null
  }

  /** Adds a result to the message that contains its call. */
  addResult(result: ReplyMessage['results'][number]): void {
    const message = this.messages.find(({ toolCalls }) => toolCalls.some(({ id }) => id === result.toolCallId))
    message?.results.push(result)
  }

  /** Builds the history for the model from heard speech, calls and results. Omits unheard text. */
  buildHistory(getHeardSpeech: GetHeardSpeech): HistoryMessage[] {
    return this.messages.flatMap((message): HistoryMessage[] => {
      const content = getHeardContent(message, getHeardSpeech)
      const { toolCalls, results } = message
      if (content === '' && toolCalls.length === 0) return []
      const toolMessages = results.map((result) => ({ role: 'tool', ...result }) as const)
      return [{ role: 'assistant', content, toolCalls }, ...toolMessages]
    })
  }
}

/** Returns the heard part of a message: its full text, or the clauses up to the interruption. */
export function getHeardContent(message: ReplyMessage, getHeardSpeech: GetHeardSpeech): string {
  const heardParts = message.utterances.map(getHeardSpeech)
  const isFullyHeard = message.isEnded && heardParts.length > 0 && heardParts.every(({ complete }) => complete)
  return isFullyHeard ? message.generated.trim() : joinClauses(heardParts.map(({ text }) => text))
}

/** Returns the heard part of a text that was spoken in parts, or as a whole if `fullText` is `null`. */
export function getHeardFullText(heardParts: readonly ReturnType<GetHeardSpeech>[], fullText: FullText | null): string {
  const isFullyHeard =
    fullText !== null && heardParts.length === fullText.partCount && heardParts.every(({ complete }) => complete)
  return isFullyHeard ? stripMarkup(fullText.text).text.trim() : joinClauses(heardParts.map(({ text }) => text))
}

/**
 * Limits the flow position to the messages in the history, because a node may have been entered after messages that nobody
 * heard.
 */
export function limitFlowPosition(state: DialogueState | null, messageCount: number): DialogueState | null {
  const { flow } = state ?? {}
  if (state === null || flow?.messagesBefore === undefined || flow.messagesBefore <= messageCount) return state
  return { ...state, flow: { ...flow, messagesBefore: messageCount } }
}
