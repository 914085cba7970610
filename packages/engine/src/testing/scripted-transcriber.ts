import { FRAME_MS, type Frame } from '../audio/frame.ts'
import type { SpeechFailure, TimedWord, Transcriber, TranscriberEvent, TranscriberOptions } from '../voice/ports.ts'

/** What a scripted recogniser understands of one utterance, counted in sound that it was given. */
export interface ScriptedUtterance {
  readonly text: string
  /** What it says meanwhile, so long after the voice began; words of the text are spread evenly where absent. */
  readonly interims?: readonly { readonly afterMs: number; readonly text: string; readonly stable?: boolean }[]
  /** The final text comes so long after the last voice. */
  readonly finalAfterMs?: number
  readonly endOfTurn?: number | null
  readonly words?: readonly TimedWord[]
  /** Says nothing of this utterance. */
  readonly stalls?: boolean
  /** The recogniser dies so long after the voice began. */
  readonly failsAfterMs?: number
}

export interface ScriptedTranscriber {
  readonly transcriber: Transcriber
  /** Sessions that are open. */
  openSessions(): number
  /** Voiced milliseconds that any of its sessions was given. */
  heardVoiceMs(): number
  /** Throws when an utterance was not heard or one was heard that no script knows. */
  assertConsumed(): void
}

const FAILURE: SpeechFailure = { kind: 'unavailable', message: 'The recogniser went away.', retryable: true }

/** Louder frames are voice. */
const VOICE_AMPLITUDE = 1_000
/** Silence after which the next voice is another utterance. */
const GAP_MS = 600

/** Whether somebody speaks in a frame of a scripted caller. */
export function isScriptedVoice(frame: Frame): boolean {
  return frame.some((sample) => Math.abs(sample) > VOICE_AMPLITUDE)
}

interface UtteranceProgress {
  readonly script: ScriptedUtterance
  readonly id: string
  /** Sound since the voice began, and since it was heard last. */
  sinceMs: number
  silentMs: number
  emittedCount: number
}

/** Understands one utterance of the script after another. It has no clock: time is the sound that it is given. */
export function scriptedTranscriber(
  script: readonly ScriptedUtterance[],
  { name = 'scripted/ears', finalP99Ms = 300 }: { readonly name?: string; readonly finalP99Ms?: number } = {},
): ScriptedTranscriber {
  let next = 0
  let open = 0
  let voiceMs = 0
  let unexpected = 0
  const take = (): ScriptedUtterance => {
    const utterance = script[next]
    next += 1
    if (utterance === undefined) unexpected += 1
    return utterance ?? { text: '', stalls: true }
  }
  const transcriber: Transcriber = {
    name,
    finalP99Ms,
    open(options) {
      open += 1
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
            progress ??= { script: take(), id: `utterance-${next}`, sinceMs: 0, silentMs: 0, emittedCount: 0 }
          if (progress !== null && advance(progress, isVoice, emit)) progress = null
        },
        voiceStarted: () => {},
        voiceEnded: () => {},
        close() {
          if (isOpen) open -= 1
          isOpen = false
        },
      }
    },
  }
  const assertConsumed = (): void => {
    if (unexpected > 0) throw new Error(`${name}: ${unexpected} utterances were not scripted.`)
    if (next < script.length) throw new Error(`${name}: ${script.length - next} utterances were left over.`)
    if (open > 0) throw new Error(`${name}: a session was left open.`)
  }
  return { transcriber, openSessions: () => open, heardVoiceMs: () => voiceMs, assertConsumed }
}

/** Takes one frame in; true when the utterance is over. */
function advance(progress: UtteranceProgress, isVoice: boolean, emit: TranscriberOptions['onEvent']): boolean {
  const { script, id } = progress
  progress.sinceMs += FRAME_MS
  progress.silentMs = isVoice ? 0 : progress.silentMs + FRAME_MS
  const { text, finalAfterMs = 200, endOfTurn = null, words = [], failsAfterMs } = script
  if (failsAfterMs !== undefined && progress.sinceMs >= failsAfterMs) {
    emit({ type: 'failed', failure: FAILURE })
    return true
  }
  if (script.stalls === true) return progress.silentMs >= GAP_MS
  const interims = script.interims ?? evenlySpacedWords(text)
  for (
    let interim = interims[progress.emittedCount];
    interim !== undefined;
    interim = interims[progress.emittedCount]
  ) {
    if (interim.afterMs > progress.sinceMs) break
    progress.emittedCount += 1
    emit({ type: 'interim', utteranceId: id, text: interim.text, stable: interim.stable ?? false })
  }
  if (progress.silentMs < finalAfterMs) return false
  emit({ type: 'final', utteranceId: id, text, endOfTurn, words })
  return true
}

/** A word every 300 ms, told 150 ms after its end. */
function evenlySpacedWords(text: string): { afterMs: number; text: string; stable?: boolean }[] {
  const words = text.split(' ').filter((word) => word !== '')
  return words.map((_, index) => ({ afterMs: index * 300 + 450, text: words.slice(0, index + 1).join(' ') }))
}
