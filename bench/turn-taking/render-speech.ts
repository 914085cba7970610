import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createResampler } from '../../packages/engine/src/audio/resampler.ts'
import type { TimedWord } from '../../packages/engine/src/voice/ports.ts'
import { createFliteSynthesizer } from '../../packages/server/src/integrations/speech/flite/flite-synthesizer.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { readWav } from '../../testing/speech-server/wav-audio.ts'
import { scaleToLevel, trimSilence } from './levels.ts'
import type { Phrase } from './phrases.ts'

/** Synthesizes the callers. The same text in the same voice is rendered once. */

export const CLIP_RATE_HZ = 16_000
/** Level of a caller's speech, as for a person close to a microphone. */
export const CALLER_DB = -24

const ESPEAK = 'espeak-ng'
const ESPEAK_TIMEOUT_MS = 10_000
const MAX_WAV_BYTES = 8 * 1024 * 1024

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

const runFile = promisify(execFile)

export async function openSpeechRenderer(): Promise<SpeechRenderer> {
  const flite = createFliteSynthesizer({
    clock: systemClock,
    threads: 1,
    logError(error) {
      throw error
    },
  })
  const clips = new Map<string, Promise<Clip>>()

  async function renderFlite(text: string, voice: string): Promise<Int16Array> {
    const chunks: Int16Array[] = []
    const request = {
      text,
      voice,
      model: null,
      language: 'en-US',
      rateHz: CLIP_RATE_HZ,
      speed: 1,
      temperature: 1,
    } as const
    const { signal } = new AbortController()
    for await (const event of flite.synthesize({ ...request, emotion: null, signal })) {
      if (event.type === 'audio') chunks.push(event.samples)
      if (event.type === 'failed') throw new Error(event.failure.message)
    }
    return joinSamples(chunks)
  }

  async function renderClip(phrase: Phrase, voice: string): Promise<Clip> {
    const [engine = '', name = ''] = voice.split(':')
    const audio =
      engine === 'flite'
        ? await renderFlite(phrase.flite ?? phrase.text, name)
        : await renderEspeak(phrase.espeak ?? phrase.text, name)
    const samples = scaleToLevel(trimSilence(audio, CLIP_RATE_HZ), CALLER_DB)
    return { voice, text: phrase.text, samples, words: divideWords(phrase.text, samples.length) }
  }

  return {
    hasEspeak: await hasEspeak(),
    render(phrase, voice) {
      const key = `${voice} ${phrase.text}`
      const clip = clips.get(key) ?? renderClip(phrase, voice)
      clips.set(key, clip)
      return clip
    },
    [Symbol.asyncDispose]: () => flite.close(),
  }
}

async function hasEspeak(): Promise<boolean> {
  try {
    await runFile(ESPEAK, ['--version'], { timeout: ESPEAK_TIMEOUT_MS })
    return true
  } catch {
    return false
  }
}

async function renderEspeak(text: string, voice: string): Promise<Int16Array> {
  const { stdout } = await runFile(ESPEAK, ['-v', voice, '--stdout', text], {
    encoding: 'buffer',
    maxBuffer: MAX_WAV_BYTES,
    timeout: ESPEAK_TIMEOUT_MS,
  })
  const recording = readWav(fixStreamedSize(stdout))
  if (typeof recording === 'string') throw new Error(`${ESPEAK} returned an unusable file: ${recording}.`)
  const resampler = createResampler(recording.rateHz, CLIP_RATE_HZ)
  return joinSamples([resampler.push(recording.samples), resampler.flush()])
}

/** Writes the real size of the data into the header, which contains a placeholder because the file was streamed. */
function fixStreamedSize(bytes: Buffer): Buffer {
  const dataAt = bytes.indexOf('data', 12, 'latin1')
  if (dataAt >= 0) bytes.writeUInt32LE((bytes.length - dataAt - 8) & ~1, dataAt + 4)
  return bytes
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

export function joinSamples(parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
