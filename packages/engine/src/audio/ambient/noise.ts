import { createBandPass, createDrift, createLowPass, type SoundSource } from './sound-source.ts'

/** Line hiss. */
export function hiss(gain: number): SoundSource {
  return (rateHz, random) => {
    const soften = createLowPass(rateHz, 2_600)
    return () => gain * soften(random() * 2 - 1)
  }
}

/** Low-frequency noise, as of a hall, distant traffic or room tone. */
export function rumble(gain: number, hz: number): SoundSource {
  return (rateHz, random) => {
    const first = createLowPass(rateHz, hz)
    const second = createLowPass(rateHz, hz * 2)
    return () => gain * 3 * second(first(random() * 2 - 1))
  }
}

/** Gusts: noise whose color and strength drift together. */
export function wind(gain: number): SoundSource {
  return (rateHz, random) => {
    const low = createBandPass(rateHz, 220, 0.9)
    const middle = createBandPass(rateHz, 480, 1.6)
    const howl = createBandPass(rateHz, 820, 7)
    const strength = createDrift(rateHz, random, { low: 0.25, high: 1, everyMs: 2_100 })
    const edge = createDrift(rateHz, random, { low: 0, high: 1, everyMs: 1_300 })
    return () => {
      const noise = random() * 2 - 1
      const force = strength()
      return gain * force * (1.6 * low(noise) + 1.4 * force * middle(noise) + 1.6 * force * edge() * howl(noise))
    }
  }
}

/** Occasional crackle, as of an old record. */
export function crackle(gain: number, perSecond: number): SoundSource {
  return (rateHz, random) => {
    const colour = createBandPass(rateHz, 1_900, 0.8)
    return () => gain * 6 * colour(random() < perSecond / rateHz ? random() * 2 - 1 : 0)
  }
}
