import { setTimeout as delay } from 'node:timers/promises'
import { computeLevelDb, countFrameSamples, FRAME_MS, type LegRateHz } from '../../packages/engine/src/audio/frame.ts'
import type { Transcriber, TranscriberSession } from '../../packages/engine/src/voice/ports.ts'

/** Voice activity is reported this long after the first and after the last voice. */
const VOICE_START_MS = 60
const VOICE_END_MS = 200
const PAUSE_MS = 1_500
/** A text that does not arrive in this time is lost. */
const FINAL_LIMIT_MS = 20_000
const SILENT_DB = -50

export interface TalkStats {
  /** Times from the last voice to the final text. */
  readonly finalMs: number[]
  /** How late the timer of the audio was. */
  readonly tickLatenessMs: number[]
  interimTexts: number
  failures: number
  /** Duration of all voice. */
  spokenMs: number
}

interface TalkOptions {
  readonly transcriber: Transcriber
  readonly rateHz: LegRateHz
  /** Sentences as audio, which callers speak in turn. */
  readonly clips: readonly Int16Array[]
  readonly callers: number
  readonly durationMs: number
}

/** Lets callers speak in real time and measures when the final texts arrive. Each caller pauses after each sentence. */
export async function runTalkingCallers({ callers, durationMs, ...options }: TalkOptions): Promise<TalkStats> {
  const stats: TalkStats = { finalMs: [], tickLatenessMs: [], interimTexts: 0, failures: 0, spokenMs: 0 }
  const clips = options.clips.map((clip) => trimEnd(clip, options.rateHz))
  const people = Array.from({ length: callers }, (_, index) => new TalkingCaller({ ...options, clips }, stats, index))
  const startedAtMs = performance.now()
  for (let tick = 1; tick * FRAME_MS < durationMs || people.some(({ isBusy }) => isBusy); tick += 1) {
    const dueAtMs = startedAtMs + tick * FRAME_MS
    await delay(Math.max(0, dueAtMs - performance.now()))
    stats.tickLatenessMs.push(performance.now() - dueAtMs)
    const canStart = tick * FRAME_MS < durationMs
    for (const person of people) person.sendFrame(canStart)
  }
  for (const person of people) person.close()
  return stats
}

/** Removes silence, so that the end of a clip is the last voice. */
function trimEnd(clip: Int16Array, rateHz: LegRateHz): Int16Array {
  const frameSamples = countFrameSamples(rateHz)
  let frames = Math.floor(clip.length / frameSamples)
  while (frames > 1 && computeLevelDb(clip.subarray((frames - 1) * frameSamples, frames * frameSamples)) < SILENT_DB)
    frames -= 1
  return clip.subarray(0, frames * frameSamples)
}

class TalkingCaller {
  readonly #options: Pick<TalkOptions, 'transcriber' | 'rateHz' | 'clips'>
  readonly #stats: TalkStats
  readonly #frame: Int16Array
  #session: TranscriberSession
  #clipIndex: number
  /** Time since the current clip started. Negative during the pause before it. */
  #clipMs: number
  /** When the last voice was sent. */
  #clipEndedAtMs = 0
  /** When the last voice of an ended utterance was sent, or null if no text is missing. */
  #lastVoiceAtMs: number | null = null

  constructor(options: Pick<TalkOptions, 'transcriber' | 'rateHz' | 'clips'>, stats: TalkStats, index: number) {
    this.#options = options
    this.#stats = stats
    this.#frame = new Int16Array(countFrameSamples(options.rateHz))
    this.#clipIndex = index % options.clips.length
    // Callers do not start at the same time.
    this.#clipMs = -FRAME_MS * Math.round((500 + (index % 10) * 350) / FRAME_MS)
    this.#session = this.#open()
  }

  /** Whether the caller speaks or waits for a text. */
  get isBusy(): boolean {
    return this.#clipMs > 0 || this.#lastVoiceAtMs !== null
  }

  sendFrame(canStart: boolean): void {
    this.#handleMissingText()
    const { clips, rateHz } = this.#options
    const clip = clips[this.#clipIndex] ?? this.#frame
    const clipEndMs = (clip.length / rateHz) * 1_000
    const isPaused = this.#clipMs < 0 || (this.#clipMs === 0 && !canStart)
    this.#frame.fill(0)
    if (!isPaused && this.#clipMs < clipEndMs) {
      const start = (this.#clipMs * rateHz) / 1_000
      this.#frame.set(clip.subarray(start, start + this.#frame.length))
    }
    this.#session.push(this.#frame)
    if (this.#clipMs < 0 || !isPaused) this.#clipMs += FRAME_MS
    if (isPaused) return
    if (this.#clipMs === VOICE_START_MS) this.#session.voiceStarted()
    if (this.#clipMs === clipEndMs) this.#clipEndedAtMs = performance.now()
    if (this.#clipMs < clipEndMs + VOICE_END_MS) return
    this.#stats.spokenMs += clipEndMs
    this.#lastVoiceAtMs = this.#clipEndedAtMs
    this.#session.voiceEnded()
    this.#clipIndex = (this.#clipIndex + 1) % clips.length
    this.#clipMs = -PAUSE_MS
  }

  close(): void {
    this.#session.close()
  }

  #open(): TranscriberSession {
    return this.#options.transcriber.open({
      rateHz: this.#options.rateHz,
      language: 'en-US',
      keywords: [],
      onEvent: (event) => {
        if (event.type === 'interim') this.#stats.interimTexts += 1
        else if (event.type === 'failed') this.#fail()
        else this.#handleFinal()
      },
    })
  }

  #handleFinal(): void {
    // A text before the end of the voice belongs to a part of the sentence.
    if (this.#lastVoiceAtMs === null) return
    this.#stats.finalMs.push(performance.now() - this.#lastVoiceAtMs)
    this.#lastVoiceAtMs = null
  }

  #handleMissingText(): void {
    if (this.#lastVoiceAtMs !== null && performance.now() - this.#lastVoiceAtMs > FINAL_LIMIT_MS) this.#fail()
  }

  /** Counts the failure and continues with another session, as a call does. */
  #fail(): void {
    this.#stats.failures += 1
    this.#lastVoiceAtMs = null
    this.#session.close()
    this.#session = this.#open()
  }
}
