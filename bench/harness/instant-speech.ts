import { FRAME_MS, type Frame } from '../../packages/engine/src/audio/frame.ts'
import { createBabble } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import type { SpeechEvent, Synthesizer, Transcriber } from '../../packages/engine/src/voice/ports.ts'
import type { SpeechVendors } from '../../packages/server/src/integrations/speech/speech-vendors.ts'

/** Speech vendors without cost or latency, so that benchmarks measure only the call itself. */

/** Milliseconds per character in human speech. */
const MS_PER_CHARACTER = 60
/** Duration of an audio chunk, as received over a network. */
const CHUNK_MS = 100
/** Maximum duration of speech. Longer texts are truncated. */
export const MAX_SPEECH_MS = 20_000
const PREPARED_RATE_HZ = 8_000
/** Amplitude above which a sample counts as voice. */
const VOICE_AMPLITUDE = 500
const TEXT = 'What are your opening hours on a Sunday in May?'
const WORDS = TEXT.split(' ')

export interface InstantTranscriberOptions {
  /** Silence after which the transcriber finalizes an utterance. */
  readonly finalAfterMs: number
  /** Delay until a word is reported. */
  readonly wordMs: number
}

/**
 * Creates a transcriber that recognizes the same sentence for any speech, word by word, and detects the end of an utterance.
 */
export function createInstantTranscriber({ finalAfterMs, wordMs }: InstantTranscriberOptions): Transcriber {
  return {
    name: 'bench/transcriber',
    finalP99Ms: finalAfterMs,
    open({ onEvent }) {
      let count = 0
      let voiceMs = 0
      let silentMs = 0
      let emittedWords = 0
      return {
        push(frame) {
          const isVoice = containsVoice(frame)
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
          const wordCount = Math.min(WORDS.length, Math.floor(voiceMs / wordMs))
          if (wordCount === emittedWords) return
          emittedWords = wordCount
          const text = WORDS.slice(0, wordCount).join(' ')
          queueMicrotask(() => onEvent({ type: 'interim', utteranceId, text, stable: false }))
        },
        voiceStarted: () => undefined,
        voiceEnded: () => undefined,
        close: () => undefined,
      }
    },
  }
}

function containsVoice(frame: Frame): boolean {
  for (const sample of frame) if (sample > VOICE_AMPLITUDE) return true
  return false
}

/** Creates voice audio of length `MAX_SPEECH_MS` at a sample rate. */
type CreateVoice = (rateHz: number) => Int16Array

const createDefaultVoice: CreateVoice = (rateHz) =>
  createBabble({ rateHz, durationMs: MAX_SPEECH_MS, amplitude: 9_000 })

/**
 * Creates a synthesizer that responds immediately in any language. Its audio is generated in advance, so that later calls do
 * not wait.
 */
export function createInstantSynthesizer(createVoice: CreateVoice = createDefaultVoice): Synthesizer {
  const audioByRate = new Map([[PREPARED_RATE_HZ, createVoice(PREPARED_RATE_HZ)]])
  const getAudio = (rateHz: number): Int16Array => {
    const audio = audioByRate.get(rateHz) ?? createVoice(rateHz)
    audioByRate.set(rateHz, audio)
    return audio
  }
  return {
    name: 'bench/synthesizer',
    async *synthesize({ text, rateHz, signal }): AsyncGenerator<SpeechEvent> {
      const audio = getAudio(rateHz)
      const count = Math.min(audio.length, Math.round((text.length * MS_PER_CHARACTER * rateHz) / 1_000))
      const chunkSamples = (CHUNK_MS * rateHz) / 1_000
      for (let start = 0; start < count && !signal.aborted; start += chunkSamples) {
        yield { type: 'audio', samples: audio.slice(start, Math.min(count, start + chunkSamples)) }
      }
      if (!signal.aborted) yield { type: 'end' }
    },
  }
}

/** Creates replacements for the server's speech vendors. */
export function createSpeechVendors(): SpeechVendors {
  const voice = { synthesizer: createInstantSynthesizer(), voice: 'bench', model: null }
  const transcribers = [createInstantTranscriber({ finalAfterMs: 300, wordMs: 200 })]
  return {
    forWorkspace: async () => ({
      voiceVendors: [],
      selectVoices: () => ({ voices: [voice], standIns: [] }),
      selectTranscribers: () => ({ transcribers, standIns: [] }),
      warmUpTranscriber: () => undefined,
    }),
  }
}
