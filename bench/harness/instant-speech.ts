import { FRAME_MS, type Frame } from '../../packages/engine/src/audio/frame.ts'
import { createBabble } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import type { SpeechEvent, Synthesizer, Transcriber } from '../../packages/engine/src/voice/ports.ts'
import type { SpeechVendors } from '../../packages/server/src/integrations/speech/speech-vendors.ts'

/** Ears and voices that cost nothing and wait for nobody: what is measured is what stands between them. */

/** As long as people take for a character. */
const MS_PER_CHARACTER = 60
/** Sound comes in such pieces, as over a network. */
const CHUNK_MS = 100
/** What is longer is spoken as far as this. */
export const MAX_SPEECH_MS = 20_000
const PREPARED_RATE_HZ = 8_000
/** Louder samples are voice. */
const VOICE_AMPLITUDE = 500
const TEXT = 'What are your opening hours on a Sunday in May?'
const WORDS = TEXT.split(' ')

export interface InstantTranscriberOptions {
  /** Silence after which the recogniser is sure that the speaker is done. */
  readonly finalAfterMs: number
  /** Delay until a word is reported. */
  readonly wordMs: number
}

/** Hears the same sentence whenever somebody speaks, word by word, and knows itself when it is over. */
export function createInstantTranscriber({ finalAfterMs, wordMs }: InstantTranscriberOptions): Transcriber {
  return {
    name: 'bench/ears',
    finalP99Ms: finalAfterMs,
    open({ onEvent }) {
      let count = 0
      let voiceMs = 0
      let silentMs = 0
      let emittedWords = 0
      return {
        push(frame) {
          const isVoice = hasVoice(frame)
          if (voiceMs === 0 && !isVoice) return
          voiceMs += FRAME_MS
          silentMs = isVoice ? 0 : silentMs + FRAME_MS
          const utteranceId = `u${count}`
          if (silentMs >= finalAfterMs) {
            count += 1
            voiceMs = 0
            emittedWords = 0
            queueMicrotask(() => onEvent({ type: 'final', utteranceId, text: TEXT, endOfTurn: 1, words: [] }))
            return
          }
          const words = Math.min(WORDS.length, Math.floor(voiceMs / wordMs))
          if (words === emittedWords) return
          emittedWords = words
          const text = WORDS.slice(0, words).join(' ')
          queueMicrotask(() => onEvent({ type: 'interim', utteranceId, text, stable: false }))
        },
        voiceStarted: () => undefined,
        voiceEnded: () => undefined,
        close: () => undefined,
      }
    },
  }
}

function hasVoice(frame: Frame): boolean {
  for (const sample of frame) if (sample > VOICE_AMPLITUDE) return true
  return false
}

/** Sound of a voice at a rate, of `MAX_SPEECH_MS`. */
type CreateVoice = (rateHz: number) => Int16Array

const speak: CreateVoice = (rateHz) => createBabble({ rateHz, durationMs: MAX_SPEECH_MS, amplitude: 9_000 })

/** Speaks at once, without a language. Its sound is made here: nobody waits for it later. */
export function createInstantSynthesizer(createVoice: CreateVoice = speak): Synthesizer {
  const byRate = new Map([[PREPARED_RATE_HZ, createVoice(PREPARED_RATE_HZ)]])
  const audioAt = (rateHz: number): Int16Array => {
    const known = byRate.get(rateHz) ?? createVoice(rateHz)
    byRate.set(rateHz, known)
    return known
  }
  return {
    name: 'bench/voice',
    async *synthesize({ text, rateHz, signal }): AsyncGenerator<SpeechEvent> {
      const audio = audioAt(rateHz)
      const count = Math.min(audio.length, Math.round((text.length * MS_PER_CHARACTER * rateHz) / 1_000))
      const chunkSamples = (CHUNK_MS * rateHz) / 1_000
      for (let at = 0; at < count && !signal.aborted; at += chunkSamples) {
        yield { type: 'audio', samples: audio.slice(at, Math.min(count, at + chunkSamples)) }
      }
      if (!signal.aborted) yield { type: 'end' }
    },
  }
}

/** In the place of the providers of a server. */
export function createSpeechVendors(): SpeechVendors {
  const voice = { synthesizer: createInstantSynthesizer(), voice: 'bench', model: null }
  const transcribers = [createInstantTranscriber({ finalAfterMs: 300, wordMs: 200 })]
  return {
    forWorkspace: async () => ({
      providers: [],
      voices: () => ({ voices: [voice], standIns: [] }),
      recognition: () => ({ transcribers, standIns: [] }),
    }),
  }
}
