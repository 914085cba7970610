import type { TimedWord } from '../../packages/engine/src/voice/ports.ts'
import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import { openVoiceRenderer } from '../harness/voice-renderer.ts'
import { scaleToLevel, trimSilence } from './levels.ts'
import type { Phrase } from './phrases.ts'

/** Synthesizes the callers. The same text in the same voice is rendered once. */

/** Level of a caller's speech, as for a person close to a microphone. */
export const CALLER_DB = -24

/** Speech without silence around it. */
export interface Clip {
  readonly voice: string
  readonly text: string
  /** Samples at 16 kHz with the level `CALLER_DB`. */
  readonly samples: Int16Array
  /** Words of `text`, timed from the first sample. */
  readonly words: readonly TimedWord[]
}

export interface SpeechRenderer extends AsyncDisposable {
  /** Whether the voices of espeak-ng are available on this machine. */
  readonly hasEspeak: boolean
  /** Renders a phrase in a voice such as `flite:slt` or `espeak:en-gb+f3`. */
  render(phrase: Phrase, voice: string): Promise<Clip>
}

export async function openSpeechRenderer(): Promise<SpeechRenderer> {
  const voices = await openVoiceRenderer()
  const clips = new Map<string, Promise<Clip>>()

  async function renderClip(phrase: Phrase, voice: string): Promise<Clip> {
    const spelling = voice.startsWith('flite:') ? phrase.flite : phrase.espeak
    const audio = await voices.render(spelling ?? phrase.text, voice)
    const samples = scaleToLevel(trimSilence(audio, CLIP_RATE_HZ), CALLER_DB)
    return { voice, text: phrase.text, samples, words: divideWords(phrase.text, samples.length) }
  }

  return {
    hasEspeak: voices.hasEspeak,
    render(phrase, voice) {
      const key = `${voice} ${phrase.text}`
      const clip = clips.get(key) ?? renderClip(phrase, voice)
      clips.set(key, clip)
      return clip
    },
    [Symbol.asyncDispose]: () => voices[Symbol.asyncDispose](),
  }
}

/** Divides the length of a clip between its words by their numbers of characters. */
export function divideWords(text: string, sampleCount: number): TimedWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const durationMs = (sampleCount / CLIP_RATE_HZ) * 1_000
  const characters = words.reduce((sum, { length }) => sum + length + 1, 0)
  let startMs = 0
  return words.map((word) => {
    const endMs = startMs + (durationMs * (word.length + 1)) / characters
    const timedWord = { text: word, startMs, endMs }
    startMs = endMs
    return timedWord
  })
}
