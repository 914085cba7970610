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
interface TurnPart {
  readonly message: ReplyMessage | null
  readonly utterances: Utterance[]
}

/** Holds the agent's speech until the heard part is known, and then records it. */
export class AgentTurns {
  readonly #options: AgentTurnsOptions
  /** Unrecorded utterances in speaking order. */
  readonly #utterances = new Map<string, Utterance>()
  #pendingCommit: {
    readonly utterances: readonly Utterance[]
    readonly startedAtMs: number
    readonly stop: () => void
  } | null = null

  constructor(options: AgentTurnsOptions) {
    this.#options = options
  }

  add(utterance: Utterance): void {
    this.#utterances.set(utterance.id, utterance)
  }

  /** Drops an utterance that will not be spoken. */
  remove(utteranceId: string): void {
    this.#utterances.delete(utteranceId)
  }

  get(utteranceId: string): Utterance | null {
    return this.#utterances.get(utteranceId) ?? null
  }

  getHeard(utteranceId: string): HeardUtterance {
    return getHeardUtterance(this.#utterances.get(utteranceId), this.#options.playout)
  }

  /** Sends an interim caption of the current utterance. */
  sendCaption(utterance: Utterance): void {
    const message = this.#findMessage(utterance)
    const utterances =
      message?.utterances.map((id) => this.#utterances.get(id)) ?? this.#findUtterancesInSameReply(utterance)
    const startedUtterances = utterances.filter((part) => part !== undefined && part.startedAtMs !== null)
    const text = joinClauses(startedUtterances.map((part) => part?.text ?? ''))
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
      this.#recordUtterances(utterances, interrupted)
      return
    }
    // Wait until the client reports the position at which playback was cleared.
    const startedAtMs = clock.now()
    this.#pendingCommit = { utterances, startedAtMs, stop: clock.after(POSITION_WAIT_MS, () => this.flush()) }
  }

  /** Handles a playback report, unless the client sent it before the clear. */
  handlePosition(atMs: number): void {
    if (this.#pendingCommit !== null && atMs > this.#pendingCommit.startedAtMs - FRAME_MS) this.flush()
  }

  /** Records pending utterances, because their position is known or another entry follows. */
  flush(): void {
    const pendingCommit = this.#pendingCommit
    if (pendingCommit === null) return
    this.#pendingCommit = null
    pendingCommit.stop()
    this.#recordUtterances(pendingCommit.utterances, true)
  }

  /** Records the heard speech at the end of the call. */
  close(): void {
    this.commit(true)
    this.flush()
  }

  #recordUtterances(utterances: readonly Utterance[], interrupted: boolean): void {
    for (const part of this.#groupIntoParts(utterances)) this.#recordPart(part, interrupted)
    for (const { id } of utterances) {
      this.#options.history.freeze(id)
      this.#utterances.delete(id)
    }
  }

  #groupIntoParts(utterances: readonly Utterance[]): TurnPart[] {
    const parts: TurnPart[] = []
    for (const utterance of utterances) {
      const message = this.#findMessage(utterance)
      const lastPart = parts.at(-1)
      if (message !== null && lastPart?.message === message) lastPart.utterances.push(utterance)
      else if (lastPart !== undefined && hasSameFullText(utterance, lastPart.utterances[0]))
        lastPart.utterances.push(utterance)
      else parts.push({ message, utterances: [utterance] })
    }
    return parts
  }

  #recordPart({ message, utterances }: TurnPart, interrupted: boolean): void {
    const { record, history, generations } = this.#options
    const [firstUtterance] = utterances
    if (firstUtterance === undefined || firstUtterance.startedAtMs === null) return
    const heardUtterances = utterances.map(({ id }) => this.getHeard(id))
    const { fullText } = firstUtterance
    const isEnded = message?.isEnded ?? (fullText === null || fullText.partCount === utterances.length)
    const isFullyHeard = heardUtterances.every(({ complete }) => complete) && isEnded
    const isFullMessage = message !== null && message.utterances.length === utterances.length
    const wasInterrupted = interrupted && !isFullyHeard
    const content = isFullMessage
      ? getHeardContent(message, (id) => history.getHeard(id))
      : getHeardFullText(heardUtterances, fullText)
    // The interrupted message includes text that was written but not spoken.
    const includesUnspokenText =
      message !== null && (isFullMessage || (wasInterrupted && message.utterances[0] === firstUtterance.id))
    const id = message?.id ?? fullText?.id ?? firstUtterance.id
    record.sendCaption({ id, role: 'agent', text: content, final: true, interrupted: wasInterrupted })
    if (content === '') return
    record.write({
      type: 'agent-message',
      turnId: generations.get(firstUtterance.generation)?.times?.turnId ?? firstUtterance.turnId,
      content,
      generatedContent: includesUnspokenText
        ? message.generated.trim()
        : (fullText?.text.trim() ?? joinClauses(utterances.map(({ text }) => text))),
      interrupted: wasInterrupted,
      kind: firstUtterance.kind,
      startMs: record.getTimeSinceStart(firstUtterance.startedAtMs),
      endMs: record.getTimeSinceStart(
        Math.max(firstUtterance.startedAtMs, ...heardUtterances.map(({ endMs }) => endMs)),
      ),
      words: heardUtterances.flatMap(({ words }) => words.map((word) => record.toCallWord(word))),
    })
  }

  #findUtterancesInSameReply(utterance: Utterance): readonly Utterance[] {
    return [...this.#utterances.values()].filter(
      (candidate) => candidate === utterance || hasSameFullText(candidate, utterance),
    )
  }

  #findMessage({ id, generation }: Utterance): ReplyMessage | null {
    return this.#options.generations.get(generation)?.reply.findMessage(id) ?? null
  }
}

function hasSameFullText({ fullText }: Utterance, other: Utterance | undefined): boolean {
  return fullText !== null && fullText.id === other?.fullText?.id
}
