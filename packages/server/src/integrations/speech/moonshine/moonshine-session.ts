import { FRAME_MS, type Frame } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type {
  SpeechFailure,
  TranscriberEvent,
  TranscriberOptions,
  TranscriberSession,
} from '@parley/engine/voice/ports'
import { PreRoll } from '../pre-roll.ts'
import type { Recognition } from './moonshine-protocol.ts'
import type { RecognitionScheduler, Urgency } from './recognition-scheduler.ts'
import { Utterance } from './utterance.ts'

/** Minimum interval between interim texts. */
const INTERIM_MS = 700
/** An ended utterance of this length does not continue when the caller speaks again. A running one is split at a pause. */
const LONG_UTTERANCE_MS = 8_000
/** An utterance without pauses is split here. */
const MAX_UTTERANCE_MS = 16_000
/** Silence at the end of an utterance that the next one can repeat. */
const OVERLAP_MS = 100
/** Maximum time until the text of an ended utterance, not counting the time in which the model is loaded. */
const FINAL_DEADLINE_MS = 10_000

const OVERLOAD_FAILURE: SpeechFailure = {
  kind: 'timeout',
  message: `The built-in speech recognition did not answer within ${FINAL_DEADLINE_MS / 1_000} seconds.`,
  retryable: true,
}

interface SessionTask {
  readonly utterance: Utterance
  readonly urgency: Urgency
  isRunning: boolean
  cancel: () => void
}

/** The speech of one caller. Runs one task at a time, so that texts arrive in order. */
export class MoonshineSession implements TranscriberSession {
  readonly #scheduler: RecognitionScheduler
  readonly #clock: Clock
  readonly #options: TranscriberOptions
  readonly #preRoll: PreRoll
  readonly #removeCall: () => void
  #utteranceCount = 0
  /** The last utterance, unless its final text is known. */
  #utterance: Utterance | null = null
  /** Ended utterances without final text, and the functions that cancel their deadlines. Includes the last utterance. */
  readonly #ended = new Map<Utterance, () => void>()
  #samplesSinceEnd = Number.POSITIVE_INFINITY
  #task: SessionTask | null = null
  #lastInterimText = ''
  #isClosed = false

  constructor(scheduler: RecognitionScheduler, clock: Clock, options: TranscriberOptions) {
    this.#scheduler = scheduler
    this.#clock = clock
    this.#options = options
    this.#preRoll = new PreRoll(options.rateHz)
    this.#removeCall = scheduler.addCall()
  }

  push(frame: Frame): void {
    if (this.#isClosed) return
    this.#preRoll.push(frame)
    this.#samplesSinceEnd += frame.length
    const utterance = this.#utterance
    if (utterance === null) return
    // An ended utterance can continue as long as it is short.
    if (!utterance.hasEnded || utterance.durationMs < LONG_UTTERANCE_MS) utterance.push(frame)
    if (utterance.hasEnded) return
    if (this.#isSplitDue(utterance)) this.#splitUtterance(utterance)
    this.#schedule()
  }

  voiceStarted(): void {
    if (this.#isClosed || this.#utterance?.hasEnded === false) return
    if (this.#utterance !== null && this.#canResume(this.#utterance)) this.#resumeUtterance(this.#utterance)
    else this.#startUtterance(OVERLAP_MS)
    this.#schedule()
  }

  voiceEnded(): void {
    const utterance = this.#utterance
    if (this.#isClosed || utterance === null || utterance.hasEnded) return
    this.#endUtterance(utterance)
    this.#schedule()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#task?.cancel()
    for (const cancelDeadline of this.#ended.values()) cancelDeadline()
    this.#ended.clear()
    this.#removeCall()
  }

  #startUtterance(overlapMs: number): void {
    const { rateHz } = this.#options
    this.#utteranceCount += 1
    this.#preRoll.keepLast(this.#samplesSinceEnd + (rateHz * overlapMs) / 1_000)
    this.#utterance = new Utterance(`utterance-${this.#utteranceCount}`, this.#preRoll.getSamples(), rateHz)
    this.#lastInterimText = ''
  }

  #endUtterance(utterance: Utterance): void {
    utterance.end()
    this.#samplesSinceEnd = 0
    this.#startDeadline(utterance)
    this.#emitFinals()
  }

  /** The time limit starts when the model is loaded. Loading has its own time limit. */
  #startDeadline(utterance: Utterance, durationMs = FINAL_DEADLINE_MS): void {
    const handleDeadline = (): void => {
      const remainingMs = FINAL_DEADLINE_MS - this.#scheduler.readyMs
      if (remainingMs > 0) this.#startDeadline(utterance, remainingMs)
      else this.#fail(OVERLOAD_FAILURE)
    }
    this.#ended.set(utterance, this.#clock.after(durationMs, handleDeadline))
  }

  /** Continuing is better for the text than another utterance, unless the text is being recognized. */
  #canResume(utterance: Utterance): boolean {
    const isRunning = this.#task?.isRunning === true && this.#task.utterance === utterance
    return !isRunning && utterance.durationMs < LONG_UTTERANCE_MS
  }

  #resumeUtterance(utterance: Utterance): void {
    this.#ended.get(utterance)?.()
    this.#ended.delete(utterance)
    utterance.resume()
  }

  #isSplitDue({ durationMs, isPaused }: Utterance): boolean {
    return durationMs >= MAX_UTTERANCE_MS - FRAME_MS || (durationMs >= LONG_UTTERANCE_MS && isPaused)
  }

  #splitUtterance(utterance: Utterance): void {
    this.#endUtterance(utterance)
    this.#startUtterance(0)
  }

  /** Requests what is needed most. Keeps a running task, and a waiting one of the same kind. */
  #schedule(): void {
    if (this.#isClosed || this.#task?.isRunning) return
    const work = this.#findWork()
    const task = this.#task
    if (task?.utterance === work?.utterance && task?.urgency === work?.urgency) return
    task?.cancel()
    this.#task = work === null ? null : this.#startTask(work.utterance, work.urgency)
  }

  #findWork(): Pick<SessionTask, 'utterance' | 'urgency'> | null {
    for (const utterance of this.#ended.keys()) return { utterance, urgency: 'final' }
    const utterance = this.#utterance
    if (utterance === null) return null
    if (utterance.isPaused && utterance.hasNewVoice) return { utterance, urgency: 'pause' }
    return utterance.newAudioMs >= INTERIM_MS ? { utterance, urgency: 'interim' } : null
  }

  #startTask(utterance: Utterance, urgency: Urgency): SessionTask {
    const task: SessionTask = { utterance, urgency, isRunning: false, cancel: () => {} }
    task.cancel = this.#scheduler.enqueue({
      urgency,
      takeRequest: () => {
        task.isRunning = true
        return { samples: utterance.takeAudio(), rateHz: this.#options.rateHz, draft: utterance.draft }
      },
      onEnd: (outcome) => {
        this.#task = null
        if ('failure' in outcome) this.#fail(outcome.failure)
        else this.#handleRecognition(utterance, outcome)
      },
    })
    return task
  }

  #handleRecognition(utterance: Utterance, { text, tokens }: Recognition): void {
    utterance.draft = tokens
    utterance.setText(text)
    this.#emitFinals()
    const isLasting = !utterance.hasEnded && this.#ended.size === 0
    if (isLasting && text !== '' && text !== this.#lastInterimText) {
      this.#lastInterimText = text
      this.#emit({ type: 'interim', utteranceId: utterance.id, text, stable: false })
    }
    this.#schedule()
  }

  /** Emits the texts of ended utterances in order. */
  #emitFinals(): void {
    for (const [utterance, cancelDeadline] of this.#ended) {
      const { id, text } = utterance
      if (text === null) return
      cancelDeadline()
      this.#ended.delete(utterance)
      if (this.#utterance === utterance) this.#utterance = null
      this.#emit({ type: 'final', utteranceId: id, text, endOfTurn: null, words: [] })
    }
  }

  #fail(failure: SpeechFailure): void {
    if (this.#isClosed) return
    this.#emit({ type: 'failed', failure })
    this.close()
  }

  /** Emits an event asynchronously, so that no method calls the listener synchronously. */
  #emit(event: TranscriberEvent): void {
    const isLast = event.type === 'failed'
    queueMicrotask(() => {
      if (!this.#isClosed || isLast) this.#options.onEvent(event)
    })
  }
}
