import { spawnSync } from 'node:child_process'
import {
  createClicks,
  createFanNoise,
  createHum,
  createWhiteNoise,
  joinAudio,
} from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { CLIP_RATE_HZ } from './clip-audio.ts'
import { createNoiseSample, NOISE_NAMES } from './noises.ts'

export interface NoiseClip {
  readonly name: string
  readonly samples: Int16Array
}

/** Pause between noises, after which voice has ended. */
const PAUSE_MS = 500

/** Generates noises without speech at 16 kHz, with `sox` if it is installed. */
export function createNoiseClips(durationMs: number): NoiseClip[] {
  const options = { rateHz: CLIP_RATE_HZ, durationMs, amplitude: 5_000 }
  const clips = [
    { name: 'white noise', samples: createWhiteNoise(options) },
    { name: 'fan', samples: createFanNoise(options) },
    { name: 'hum', samples: createHum(options) },
    { name: 'clicks', samples: createClicks({ ...options, amplitude: 16_000 }, 300) },
    ...NOISE_NAMES.map((name) => ({ name, samples: repeatNoise(name, durationMs) })),
  ]
  const pinkNoise = runSox(['synth', String(durationMs / 1_000), 'pinknoise', 'vol', '0.3'])
  const pluck = runSox(['synth', String(durationMs / 1_000), 'pluck', 'E3', 'repeat', '0', 'vol', '0.4'])
  if (pinkNoise !== null) clips.push({ name: 'pink noise (sox)', samples: pinkNoise })
  if (pluck !== null) clips.push({ name: 'string (sox)', samples: pluck })
  return clips
}

/** Returns variants of a noise with pauses between them. */
function repeatNoise(name: string, durationMs: number): Int16Array {
  const sampleCount = (CLIP_RATE_HZ * durationMs) / 1_000
  const pause = new Int16Array((CLIP_RATE_HZ * PAUSE_MS) / 1_000)
  let samples: Int16Array = new Int16Array(0)
  for (let seed = NOISE_NAMES.indexOf(name) + 1; samples.length < sampleCount; seed += NOISE_NAMES.length)
    samples = joinAudio(samples, createNoiseSample(name, seed, CLIP_RATE_HZ), pause)
  return samples.subarray(0, sampleCount)
}

/** Returns audio that `sox` generates, or null if `sox` is not installed. */
function runSox(effects: readonly string[]): Int16Array | null {
  const format = ['-r', String(CLIP_RATE_HZ), '-c', '1', '-b', '16', '-e', 'signed', '-t', 'raw', '-']
  const { status, stdout } = spawnSync('sox', ['-R', '-n', ...format, ...effects], { timeout: 20_000 })
  if (status !== 0 || stdout.length === 0) return null
  return Int16Array.from({ length: stdout.length >> 1 }, (_, index) => stdout.readInt16LE(index * 2))
}
