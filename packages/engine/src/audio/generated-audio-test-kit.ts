import { createSeededRandom } from './seeded-random.ts'

/** Options of generated test audio. `amplitude` refers to 16-bit samples. */

interface SignalOptions {
  readonly rateHz: number
  readonly durationMs: number
  readonly amplitude: number
}

/** Samples a wave, which maps a time in seconds to a value. */
export function renderWave(
  { rateHz, durationMs, amplitude }: SignalOptions,
  wave: (seconds: number) => number,
): Int16Array {
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1000))
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = Math.max(-32_768, Math.min(32_767, Math.round(amplitude * wave(index / rateHz))))
  }
  return samples
}

export function createTone(options: SignalOptions, hz: number): Int16Array {
  return renderWave(options, (seconds) => Math.sin(2 * Math.PI * hz * seconds))
}

/** Generates mains hum with overtones. */
export function createHum(options: SignalOptions): Int16Array {
  return renderWave(options, (seconds) => {
    const phase = 2 * Math.PI * 50 * seconds
    return 0.5 * Math.sin(phase) + 0.3 * Math.sin(2 * phase) + 0.15 * Math.sin(3 * phase) + 0.1 * Math.sin(6 * phase)
  })
}

export function createWhiteNoise(options: SignalOptions, seed = 1): Int16Array {
  const random = createSeededRandom(seed)
  return renderWave(options, () => random() * 2 - 1)
}

/** Generates low-frequency fan noise. */
export function createFanNoise(options: SignalOptions, seed = 2): Int16Array {
  const random = createSeededRandom(seed)
  let smoothed = 0
  return renderWave(options, () => {
    smoothed += 0.12 * (random() * 2 - 1 - smoothed)
    return smoothed * 3
  })
}

/** Generates a short click every `everyMs`. */
export function createClicks(options: SignalOptions, everyMs: number): Int16Array {
  return renderWave(options, (seconds) => {
    const clickMs = (seconds * 1000) % everyMs
    return clickMs < 8 ? Math.exp(-clickMs / 2) * Math.sin(clickMs * 9) : 0
  })
}

/** Generates speech-like audio: syllables of changing pitch, vowel, length and loudness, with hisses and pauses. */
export function createBabble(options: SignalOptions, seed = 3): Int16Array {
  const random = createSeededRandom(seed)
  let samplesLeft = 0
  let syllableSamples = 1
  let pitchHz = 120
  let formantHz = 600
  let isHiss = false
  let loudness = 1
  let phase = 0
  return renderWave(options, () => {
    if (samplesLeft <= 0) {
      const isPause = random() < 0.12
      syllableSamples = (isPause ? 0.12 + random() * 0.15 : 0.09 + random() * 0.16) * options.rateHz
      samplesLeft = syllableSamples
      loudness = isPause ? 0 : 0.4 + random() * 0.6
      isHiss = random() < 0.25
      pitchHz = 90 + random() * 130
      formantHz = 300 + random() * 1_800
    }
    samplesLeft -= 1
    const envelope = loudness * Math.sin((Math.PI * samplesLeft) / syllableSamples) ** 0.7
    if (isHiss) return 0.4 * envelope * (random() * 2 - 1)
    phase += pitchHz / options.rateHz
    let voice = 0
    for (let harmonic = 1; harmonic <= 14; harmonic += 1) {
      const hz = harmonic * pitchHz
      if (hz > options.rateHz / 2) break
      const gain = 1 / harmonic + 1.2 / (1 + ((hz - formantHz) / 150) ** 2)
      voice += gain * Math.sin(2 * Math.PI * harmonic * phase)
    }
    return 0.35 * envelope * voice
  })
}

export function mixAudio(...parts: readonly Int16Array[]): Int16Array {
  const sum = new Int16Array(Math.max(...parts.map((part) => part.length)))
  for (const part of parts) {
    for (let index = 0; index < part.length; index += 1) {
      const value = (sum[index] ?? 0) + (part[index] ?? 0)
      sum[index] = Math.max(-32_768, Math.min(32_767, value))
    }
  }
  return sum
}

export function joinAudio(...parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/** Splits samples into frames and pads the last one with silence. */
export function* splitIntoFrames(samples: Int16Array, rateHz: number): Generator<Int16Array> {
  const frameSamples = rateHz / 50
  for (let offset = 0; offset < samples.length; offset += frameSamples) {
    const frame = new Int16Array(frameSamples)
    frame.set(samples.subarray(offset, offset + frameSamples))
    yield frame
  }
}

/** Measures a frequency's amplitude (single DFT bin with a Blackman-Harris window). */
export function measureAmplitude(samples: Int16Array, hz: number, rateHz: number): number {
  let real = 0
  let imaginary = 0
  let weights = 0
  for (let index = 0; index < samples.length; index += 1) {
    const x = (2 * Math.PI * index) / samples.length
    const weight = 0.35875 - 0.48829 * Math.cos(x) + 0.14128 * Math.cos(2 * x) - 0.01168 * Math.cos(3 * x)
    const angle = (2 * Math.PI * hz * index) / rateHz
    real += weight * (samples[index] ?? 0) * Math.cos(angle)
    imaginary += weight * (samples[index] ?? 0) * Math.sin(angle)
    weights += weight
  }
  return (2 * Math.hypot(real, imaginary)) / weights
}

/** Creates samples with values that identify their position. */
export function createNumberedSamples(from: number, count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, index) => 1_000 + ((from + index) % 20_000))
}
