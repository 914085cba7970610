import { spawnSync } from 'node:child_process'
import {
  createClicks,
  createFanNoise,
  createHum,
  createWhiteNoise,
  renderWave,
} from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { createSeededRandom } from '../../packages/engine/src/audio/seeded-random.ts'

export const CLIP_RATE_HZ = 16_000

export interface NoiseClip {
  readonly name: string
  readonly samples: Int16Array
}

/** Generates noises without speech at 16 kHz, with `sox` if it is installed. */
export function createNoiseClips(durationMs: number): NoiseClip[] {
  const options = { rateHz: CLIP_RATE_HZ, durationMs, amplitude: 5_000 }
  const clips = [
    { name: 'white noise', samples: createWhiteNoise(options) },
    { name: 'fan', samples: createFanNoise(options) },
    { name: 'hum', samples: createHum(options) },
    { name: 'clicks', samples: createClicks({ ...options, amplitude: 16_000 }, 300) },
    { name: 'keyboard', samples: createKeyboard(options) },
    { name: 'door', samples: createBursts(options, { everyMs: 2_000, hz: 70, decayMs: 120 }) },
    { name: 'bark', samples: createBark(options) },
    { name: 'siren', samples: createSiren(options) },
    { name: 'horn', samples: createHorn(options) },
    { name: 'music', samples: createMusic(options) },
  ]
  const pinkNoise = runSox(['synth', String(durationMs / 1_000), 'pinknoise', 'vol', '0.3'])
  const pluck = runSox(['synth', String(durationMs / 1_000), 'pluck', 'E3', 'repeat', '0', 'vol', '0.4'])
  if (pinkNoise !== null) clips.push({ name: 'pink noise (sox)', samples: pinkNoise })
  if (pluck !== null) clips.push({ name: 'string (sox)', samples: pluck })
  return clips
}

type Options = Parameters<typeof renderWave>[0]

function createKeyboard(options: Options): Int16Array {
  const random = createSeededRandom(11)
  let nextSecond = 0
  let startSecond = 0
  return renderWave({ ...options, amplitude: 12_000 }, (seconds) => {
    if (seconds >= nextSecond) {
      startSecond = seconds
      nextSecond = seconds + 0.08 + random() * 0.25
    }
    return (random() * 2 - 1) * Math.exp(-(seconds - startSecond) / 0.006)
  })
}

interface Burst {
  readonly everyMs: number
  readonly hz: number
  readonly decayMs: number
}

/** Generates low noise bursts, like a door that slams. */
function createBursts(options: Options, { everyMs, hz, decayMs }: Burst): Int16Array {
  const random = createSeededRandom(12)
  let smoothed = 0
  return renderWave({ ...options, amplitude: 20_000 }, (seconds) => {
    const burstSeconds = seconds % (everyMs / 1_000)
    smoothed += 0.1 * (random() * 2 - 1 - smoothed)
    return (smoothed * 2 + 0.5 * Math.sin(2 * Math.PI * hz * burstSeconds)) * Math.exp(-burstSeconds / (decayMs / 1_000))
  })
}

/** Generates pairs of short harmonic bursts with falling pitch, like a dog. */
function createBark(options: Options): Int16Array {
  const random = createSeededRandom(13)
  return renderWave({ ...options, amplitude: 9_000 }, (seconds) => {
    const cycle = seconds % 1.4
    const burst = cycle < 0.15 ? cycle : cycle - 0.35
    if (burst < 0 || burst > 0.15) return 0
    const pitch = 480 - 1_600 * burst
    let value = 0.5 * (random() * 2 - 1)
    for (let harmonic = 1; harmonic <= 6; harmonic += 1)
      value += Math.sin(2 * Math.PI * harmonic * pitch * burst) / harmonic
    return value * Math.sin((Math.PI * burst) / 0.15)
  })
}

function createSiren(options: Options): Int16Array {
  let phase = 0
  return renderWave(options, (seconds) => {
    phase += (900 + 400 * Math.sin(2 * Math.PI * 0.4 * seconds)) / options.rateHz
    return Math.sin(2 * Math.PI * phase) + 0.3 * Math.sin(4 * Math.PI * phase)
  })
}

function createHorn(options: Options): Int16Array {
  return renderWave(options, (seconds) => {
    if (seconds % 3 > 1.2) return 0
    let value = 0
    for (const hz of [349, 440]) {
      for (let harmonic = 1; harmonic <= 8; harmonic += 1)
        value += Math.sin(2 * Math.PI * hz * harmonic * seconds) / harmonic
    }
    return 0.5 * value
  })
}

/** Generates plucked chords. */
function createMusic(options: Options): Int16Array {
  const chords = [
    [262, 330, 392],
    [220, 262, 330],
    [175, 220, 262],
    [196, 247, 294],
  ]
  return renderWave(options, (seconds) => {
    const chord = chords[Math.floor(seconds * 2) % chords.length] ?? []
    const decay = Math.exp(-(seconds % 0.5) / 0.3)
    let value = 0
    for (const hz of chord) {
      for (let harmonic = 1; harmonic <= 4; harmonic += 1)
        value += Math.sin(2 * Math.PI * hz * harmonic * seconds) / harmonic
    }
    return 0.5 * decay * value
  })
}

/** Returns audio that `sox` generates, or null if `sox` is not installed. */
function runSox(effects: readonly string[]): Int16Array | null {
  const format = ['-r', String(CLIP_RATE_HZ), '-c', '1', '-b', '16', '-e', 'signed', '-t', 'raw', '-']
  const { status, stdout } = spawnSync('sox', ['-R', '-n', ...format, ...effects], { timeout: 20_000 })
  return status === 0 && stdout.length > 0 ? toSamples(stdout) : null
}

/** Converts little-endian bytes to samples. */
export function toSamples(bytes: Buffer): Int16Array {
  return Int16Array.from({ length: bytes.length >> 1 }, (_, index) => bytes.readInt16LE(index * 2))
}
