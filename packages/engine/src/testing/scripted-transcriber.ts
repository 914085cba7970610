import { FRAME_MS, type Frame } from '../audio/frame.ts'
import type { SpeechFailure, TimedWord, Transcriber, TranscriberEvent, TranscriberOptions } from '../voice/ports.ts'

/** An utterance as a scripted transcriber recognizes it. Times are measured in received audio. */
export interface ScriptedUtterance {
  readonly text: string
  /** Interim texts with their delay after the start of voice. The default is the evenly spaced words. */
  readonly interims?: readonly { readonly afterMs: number; readonly text: string; readonly stable?: boolean }[]
  /** Delay of the final text after the last voice. */
  readonly finalAfterMs?: number
  readonly endOfTurn?: number | null
  readonly words?: readonly TimedWord[]
  /** Whether the transcriber reports nothing for this utterance. */
  readonly stalls?: boolean
  /** Time after the start of voice at which the transcriber fails. */
  readonly failsAfterMs?: number
}

interface ScriptedTranscriber {
  readonly transcriber: Transcriber
  countOpenSessions(): number
  /** Returns the milliseconds of voice pushed to all sessions. */
  getHeardVoiceMs(): number
  /** Throws unless each scripted utterance was heard and each heard utterance was scripted. */
  assertConsumed(): void
}

const FAILURE: SpeechFailure = { kind: 'unavailable', message: 'The transcriber is unavailable.', retryable: true }

/** Minimum amplitude of voice. */
const VOICE_AMPLITUDE = 1_000
/** Duration of silence that separates utterances. */
const GAP_MS = 600

/** Whether a scripted caller's frame contains voice. */
export function isScriptedVoice(frame: Frame): boolean {
  return frame.some((sample) => Math.abs(sample) > VOICE_AMPLITUDE)
}

interface UtteranceProgress {
  readonly script: ScriptedUtterance
  readonly id: string
  /** Duration of audio since the start of voice and since the last voice. */
  elapsedMs: number
  silentMs: number
  emittedCount: number
}

/** Creates a transcriber that recognizes the scripted utterances in order. Time is measured by the pushed audio. */
export function createScriptedTranscriber(
  script: readonly ScriptedUtterance[],
  { name = 'scripted/transcriber', finalP99Ms = 300 }: { readonly name?: string; readonly finalP99Ms?: number } = {},
): ScriptedTranscriber {
  let nextIndex = 0
  let openCount = 0
  let voiceMs = 0
  let unexpectedCount = 0
  const takeUtterance = (): ScriptedUtterance => {
    const utterance = script[nextIndex]
    nextIndex += 1
    if (utterance === undefined) unexpectedCount += 1
    return utterance ?? { text: '', stalls: true }
  }
  const transcriber: Transcriber = {
    name,
    finalP99Ms,
    open(options) {
      openCount += 1
      let isOpen = true
      let progress: UtteranceProgress | null = null
      const emit = (event: TranscriberEvent): void => {
        queueMicrotask(() => {
          if (isOpen) options.onEvent(event)
        })
      }
      return {
        push(frame) {
          const isVoice = isScriptedVoice(frame)
          if (isVoice) voiceMs += FRAME_MS
          if (isVoice)
            progress ??= {
              script: takeUtterance(),
              id: `utterance-${nextIndex}`,
              elapsedMs: 0,
              silentMs: 0,
              emittedCount: 0,
            }
          if (progress !== null && advanceUtterance(progress, isVoice, emit)) progress = null
        },
        voiceStarted: () => {},
        voiceEnded: () => {},
        close() {
          if (isOpen) openCount -= 1
          isOpen = false
        },
      }
    },
  }
  const assertConsumed = (): void => {
    if (unexpectedCount > 0) throw new Error(`${name}: ${unexpectedCount} utterances were not scripted.`)
    if (nextIndex < script.length) throw new Error(`${name}: ${script.length - nextIndex} utterances were not used.`)
    if (openCount > 0) throw new Error(`${name}: a session was left open.`)
  }
  return { transcriber, countOpenSessions: () => openCount, getHeardVoiceMs: () => voiceMs, assertConsumed }
}

/** Processes a frame and returns whether the utterance has ended. */
function advanceUtterance(progress: UtteranceProgress, isVoice: boolean, emit: TranscriberOptions['onEvent']): boolean {
  const { script, id } = progress
  progress.elapsedMs += FRAME_MS
  progress.silentMs = isVoice ? 0 : progress.silentMs + FRAME_MS
  const { text, finalAfterMs = 200, endOfTurn = null, words = [], failsAfterMs } = script
  if (failsAfterMs !== undefined && progress.elapsedMs >= failsAfterMs) {
    emit({ type: 'failed', failure: FAILURE })
    return true
  }
  if (script.stalls === true) return progress.silentMs >= GAP_MS
  const interims = script.interims ?? spaceWordsEvenly(text)
  for (
    let interim = interims[progress.emittedCount];
    interim !== undefined;
    interim = interims[progress.emittedCount]
  ) {
    if (interim.afterMs > progress.elapsedMs) break
    progress.emittedCount += 1
    emit({ type: 'interim', utteranceId: id, text: interim.text, stable: interim.stable ?? false })
  }
  if (progress.silentMs < finalAfterMs) return false
  emit({ type: 'final', utteranceId: id, text, endOfTurn, words })
  return true
}

/** Returns one word every 300 ms, reported 150 ms after its end. */
function spaceWordsEvenly(text: string): { afterMs: number; text: string; stable?: boolean }[] {
  const words = text.split(' ').filter((word) => word !== '')
  return words.map((_, index) => ({ afterMs: index * 300 + 450, text: words.slice(0, index + 1).join(' ') }))
}
