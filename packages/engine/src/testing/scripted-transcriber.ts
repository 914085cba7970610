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

interface Hearing {
  readonly script: ScriptedUtterance
  readonly id: string
  /** Sound since the voice began, and since it was heard last. */
  sinceMs: number
  silentMs: number
  told: number
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
      let hearing: Hearing | null = null
      const tell = (event: TranscriberEvent): void => {
        queueMicrotask(() => {
          if (isOpen) options.onEvent(event)
        })
      }
      return {
        push(frame) {
          const isVoice = isScriptedVoice(frame)
          if (isVoice) voiceMs += FRAME_MS
          if (isVoice) hearing ??= { script: take(), id: `utterance-${next}`, sinceMs: 0, silentMs: 0, told: 0 }
          if (hearing !== null && hear(hearing, isVoice, tell)) hearing = null
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
function hear(hearing: Hearing, isVoice: boolean, tell: TranscriberOptions['onEvent']): boolean {
  const { script, id } = hearing
  hearing.sinceMs += FRAME_MS
  hearing.silentMs = isVoice ? 0 : hearing.silentMs + FRAME_MS
  const { text, finalAfterMs = 200, endOfTurn = null, words = [], failsAfterMs } = script
  if (failsAfterMs !== undefined && hearing.sinceMs >= failsAfterMs) {
    tell({ type: 'failed', failure: FAILURE })
    return true
  }
  if (script.stalls === true) return hearing.silentMs >= GAP_MS
  const interims = script.interims ?? spreadWords(text)
  for (let interim = interims[hearing.told]; interim !== undefined; interim = interims[hearing.told]) {
    if (interim.afterMs > hearing.sinceMs) break
    hearing.told += 1
    tell({ type: 'interim', utteranceId: id, text: interim.text, stable: interim.stable ?? false })
  }
  if (hearing.silentMs < finalAfterMs) return false
  tell({ type: 'final', utteranceId: id, text, endOfTurn, words })
  return true
}

/** A word every 300 ms, told 150 ms after its end. */
function spreadWords(text: string): { afterMs: number; text: string; stable?: boolean }[] {
  const words = text.split(' ').filter((word) => word !== '')
  return words.map((_, index) => ({ afterMs: index * 300 + 450, text: words.slice(0, index + 1).join(' ') }))
}
