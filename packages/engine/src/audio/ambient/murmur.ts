import { createBandPass, createLowPass, type SoundSource } from './sound-source.ts'

/** Formants of some vowels, in Hz. */
const VOWELS = [
  [730, 1_090],
  [530, 1_840],
  [300, 2_250],
  [570, 840],
  [440, 1_020],
] as const

interface MurmurOptions {
  readonly voices: number
  readonly gain: number
  /** Low-pass cutoff that simulates walls and distance. */
  readonly cutoffHz: number
}

/** Distant conversation without intelligible words. */
export function murmur({ voices, gain, cutoffHz }: MurmurOptions): SoundSource {
  return (rateHz, random) => {
    const speakers = Array.from({ length: voices }, () => createSpeaker(rateHz, random))
    const distance = createLowPass(rateHz, cutoffHz)
    return () => {
      let sum = 0
      for (const speak of speakers) sum += speak()
      return gain * distance(sum)
    }
  }
}

function createSpeaker(rateHz: number, random: () => number): () => number {
  const filters = VOWELS.map(([first, second]) => ({
    first: createBandPass(rateHz, first * (0.92 + 0.16 * random()), 6),
    second: createBandPass(rateHz, second * (0.92 + 0.16 * random()), 9),
  }))
  const homeHz = 95 + random() * 120
  const nearness = 0.35 + 0.65 * random()
  let filter = filters[0]
  let left = 0
  let length = 1
  let loudness = 0
  let pitchHz = homeHz
  let phase = random()
  return () => {
    if (left <= 0) {
      // A few syllables, then a pause, then another speaker.
      const draw = random()
      loudness = draw < 0.18 ? 0 : nearness * (0.4 + 0.6 * random())
      length = Math.round(rateHz * (draw < 0.06 ? 0.6 + random() : 0.09 + 0.15 * random()))
      left = length
      pitchHz = homeHz * (0.85 + 0.35 * random())
      filter = filters[Math.floor(random() * filters.length)]
    }
    left -= 1
    phase += pitchHz / rateHz
    if (phase >= 1) phase -= 1
    if (filter === undefined) return 0
    const share = left / length
    const envelope = loudness * 4 * share * (1 - share)
    const excitation = (2 * phase - 1) * 0.8 + (random() - 0.5) * 0.5
    return envelope * (filter.first(excitation) * 1.4 + filter.second(excitation) * 0.7)
  }
}
