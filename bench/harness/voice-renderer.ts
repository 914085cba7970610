import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createFliteSynthesizer } from '../../packages/server/src/integrations/speech/flite/flite-synthesizer.ts'
import {
  buildSpeechRequest,
  collectSpeech,
  failOnError,
} from '../../packages/server/src/integrations/speech/speech-test-kit.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { readWav } from '../../testing/speech-server/wav-audio.ts'
import { CLIP_RATE_HZ, convertRate } from './clip-audio.ts'

const ESPEAK = 'espeak-ng'
const ESPEAK_TIMEOUT_MS = 10_000
const MAX_WAV_BYTES = 8 * 1024 * 1024

/** Speaks texts in the built-in voices and in those of espeak-ng. */
export interface VoiceRenderer extends AsyncDisposable {
  /** Whether the voices of espeak-ng are available on this machine. */
  readonly hasEspeak: boolean
  /** Returns the samples of a text at 16 kHz in a voice such as `flite:slt` or `espeak:en-gb+f3`. */
  render(text: string, voice: string): Promise<Int16Array>
}

const runFile = promisify(execFile)

export async function openVoiceRenderer(): Promise<VoiceRenderer> {
  const flite = createFliteSynthesizer({ clock: systemClock, threads: 1, logError: failOnError })

  async function renderFlite(text: string, voice: string): Promise<Int16Array> {
    const { samples, outcome } = await collectSpeech(
      flite.synthesize(buildSpeechRequest(text, { voice, rateHz: CLIP_RATE_HZ })),
    )
    if (outcome === 'end') return samples
    throw new Error(outcome === null ? 'The speech has no end.' : outcome.message)
  }

  return {
    hasEspeak: await hasEspeak(),
    render(text, voice) {
      const [engine = '', name = ''] = voice.split(':')
      return engine === 'flite' ? renderFlite(text, name) : renderEspeak(text, name)
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
  return convertRate(recording.samples, recording.rateHz, CLIP_RATE_HZ)
}

/** Writes the real size of the data into the header, which contains a placeholder because the file was streamed. */
function fixStreamedSize(bytes: Buffer): Buffer {
  const dataAt = bytes.indexOf('data', 12, 'latin1')
  if (dataAt >= 0) bytes.writeUInt32LE((bytes.length - dataAt - 8) & ~1, dataAt + 4)
  return bytes
}
