import { FRAME_MS } from '../../audio/frame.ts'
import type { Playout } from '../../audio/playout.ts'
import type { Clock } from '../../ports.ts'
import { joinClauses } from '../speaking/heard-text.ts'
import type { CallHistory } from './call-history.ts'
import type { CallRecord } from './call-record.ts'
import type { Generations } from './generations.ts'
import {
  getHeardContent,
  getHeardFullText,
  getHeardUtterance,
  type HeardUtterance,
  type ReplyMessage,
  type Utterance,
} from './utterances.ts'

/** Maximum time to wait for the playback position after a clear. */
const POSITION_WAIT_MS = 250

interface AgentTurnsOptions {
  readonly clock: Clock
  readonly playout: Playout
  readonly record: CallRecord
  readonly history: CallHistory
  readonly generations: Generations
  readonly reportsPlayed: boolean
}

/** A part of a turn: a reply's message, or a separate utterance. */
interface Part {
  readonly message: ReplyMessage | null
  readonly utterances: Utterance[]
}

/** Holds the agent's speech until the heard part is known, and then records it. */
export class AgentTurns {
  readonly #options: AgentTurnsOptions
  /** Unrecorded utterances in speaking order. */
  readonly #utterances = new Map<string, Utterance>()
  #pending: {
    readonly utterances: readonly Utterance[]
    readonly sinceMs: number
    readonly stop: () => void
  } | null = null

  constructor(options: AgentTurnsOptions) {
    this.#options = options
  }

  add(utterance: Utterance): void {
    this.#utterances.set(utterance.id, utterance)
  }

  /** Drops an utterance that will not be spoken. */
  forget(utteranceId: string): void {
    this.#utterances.delete(utteranceId)
  }

  get(utteranceId: string): Utterance | null {
    return this.#utterances.get(utteranceId) ?? null
  }

  heard(utteranceId: string): HeardUtterance {
    return getHeardUtterance(this.#utterances.get(utteranceId), this.#options.playout)
  }

  /** Displays a caption of the current utterance. */
  showCaption(utterance: Utterance): void {
    const message = this.#findMessage(utterance)
    const messages = message?.utterances.map((id) => this.#utterances.get(id)) ?? this.#findPartsWith(utterance)
    const started = messages.filter((one) => one !== undefined && one.startedAtMs !== null)
    const text = joinClauses(started.map((one) => one?.text ?? ''))
    const id = message?.id ?? utterance.fullText?.id ?? utterance.id
    this.#options.record.sendCaption({ id, role: 'agent', text, final: false, interrupted: false })
  }

  /** Drops utterances that have not started. */
  clear(): void {
    for (const { id, startedAtMs } of this.#utterances.values()) if (startedAtMs === null) this.#utterances.delete(id)
  }

  /** Records the speech since the last commit. */
  commit(interrupted: boolean): void {
    this.flush()
    const utterances = [...this.#utterances.values()].filter(({ startedAtMs }) => startedAtMs !== null)
    const { clock, reportsPlayed } = this.#options
    if (utterances.length === 0) return
    if (!interrupted || !reportsPlayed) {
      this.#write(utterances, interrupted)
      return
    }
    // Wait until the client reports the position at which playback was cleared.
    const sinceMs = clock.now()
    this.#pending = { utterances, sinceMs, stop: clock.after(POSITION_WAIT_MS, () => this.flush()) }
  }

  /** Handles a playback report, unless the client sent it before the clear. */
  notePosition(atMs: number): void {
    if (this.#pending !== null && atMs > this.#pending.sinceMs - FRAME_MS) this.flush()
  }

  /** Records pending utterances, because their position is known or another entry follows. */
  flush(): void {
    const pending = this.#pending
    if (pending === null) return
    this.#pending = null
    pending.stop()
    this.#write(pending.utterances, true)
  }

  /** Records the heard speech at the end of the call. */
  close(): void {
    this.commit(true)
    this.flush()
  }

  #write(utterances: readonly Utterance[], interrupted: boolean): void {
    for (const part of this.#groupIntoParts(utterances)) this.#writePart(part, interrupted)
    for (const { id } of utterances) {
      this.#options.history.settle(id)
      this.#utterances.delete(id)
    }
  }

  #groupIntoParts(utterances: readonly Utterance[]): Part[] {
    const parts: Part[] = []
    for (const utterance of utterances) {
      const message = this.#findMessage(utterance)
      const last = parts.at(-1)
      if (message !== null && last?.message === message) last.utterances.push(utterance)
      else if (last !== undefined && isPartOf(utterance, last.utterances[0])) last.utterances.push(utterance)
      else parts.push({ message, utterances: [utterance] })
    }
    return parts
  }

  #writePart({ message, utterances }: Part, interrupted: boolean): void {
    const { record, history, generations } = this.#options
    const [first] = utterances
    if (first === undefined || first.startedAtMs === null) return
    const getHeard = utterances.map(({ id }) => this.heard(id))
    const { fullText } = first
    const isEnded = message?.isEnded ?? (fullText === null || fullText.parts === utterances.length)
    const isWhole = getHeard.every(({ complete }) => complete) && isEnded
    const isFullMessage = message !== null && message.utterances.length === utterances.length
    const wasInterrupted = interrupted && !isWhole
    const content = isFullMessage
      ? getHeardContent(message, (id) => history.getHeard(id))
      : getHeardFullText(getHeard, fullText)
    // The interrupted message includes text that was written but not spoken.
    const isWritten = message !== null && (isFullMessage || (wasInterrupted && message.utterances[0] === first.id))
    const id = message?.id ?? fullText?.id ?? first.id
    record.sendCaption({ id, role: 'agent', text: content, final: true, interrupted: wasInterrupted })
    if (content === '') return
    record.write({
      type: 'agent-message',
      turnId: generations.get(first.generation)?.times?.turnId ?? first.turnId,
      content,
      generatedContent: isWritten
        ? message.generated.trim()
        : (fullText?.text.trim() ?? joinClauses(utterances.map(({ text }) => text))),
      interrupted: wasInterrupted,
      kind: first.kind,
      startMs: record.getTimeSinceStart(first.startedAtMs),
      endMs: record.getTimeSinceStart(Math.max(first.startedAtMs, ...getHeard.map(({ endMs }) => endMs))),
      words: getHeard.flatMap(({ words }) => words.map((word) => record.toCallWord(word))),
    })
  }

  #findPartsWith(utterance: Utterance): readonly Utterance[] {
    return [...this.#utterances.values()].filter((one) => one === utterance || isPartOf(one, utterance))
  }

  #findMessage({ id, generation }: Utterance): ReplyMessage | null {
    return this.#options.generations.get(generation)?.reply.findMessage(id) ?? null
  }
}

function isPartOf({ fullText }: Utterance, other: Utterance | undefined): boolean {
  return fullText !== null && fullText.id === other?.fullText?.id
}
