import { createSeededRandom } from '../../packages/engine/src/audio/seeded-random.ts'

/** Generated noises, as samples between -1 and 1. A seed varies pitch, length and rhythm. */

interface Sound {
  readonly rateHz: number
  readonly random: () => number
}

type Generator = (sound: Sound) => Float64Array

const between = (random: () => number, low: number, high: number): number => low + (high - low) * random()

/** Creates `seconds` of samples from a function of the time in seconds. */
function render({ rateHz }: Sound, seconds: number, wave: (seconds: number) => number): Float64Array {
  return Float64Array.from({ length: Math.round(rateHz * seconds) }, (_, index) => wave(index / rateHz))
}

/** A resonance with two poles, which shapes noise like a vocal tract or a body. */
function createResonance(rateHz: number, hz: number, bandwidthHz: number): (input: number) => number {
  const radius = Math.exp((-Math.PI * bandwidthHz) / rateHz)
  const feedback = 2 * radius * Math.cos((2 * Math.PI * hz) / rateHz)
  let last = 0
  let beforeLast = 0
  return (input) => {
    const output = (1 - radius) * input + feedback * last - radius * radius * beforeLast
    beforeLast = last
    last = output
    return output
  }
}

const createNoise =
  ({ random }: Sound) =>
  (): number =>
    random() * 2 - 1

/** One to three bursts: a sharp onset, then noise shaped like an open mouth. */
const createCough: Generator = (sound) => {
  const { rateHz, random } = sound
  const noise = createNoise(sound)
  const formants = [between(random, 500, 800), between(random, 1_200, 1_700), between(random, 2_400, 3_000)]
  const resonances = formants.map((hz) => createResonance(rateHz, hz, 250))
  const bursts = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => ({
    start: index * between(random, 0.28, 0.4),
    decay: between(random, 0.05, 0.1),
  }))
  const pitchHz = between(random, 90, 160)
  return render(sound, (bursts.at(-1)?.start ?? 0) + 0.45, (seconds) => {
    const voice = ((seconds * pitchHz) % 1) * 2 - 1
    const envelope = bursts.reduce((sum, { start, decay }) => {
      const after = seconds - start
      return after < 0 ? sum : sum + Math.min(1, after / 0.004) * Math.exp(-after / decay)
    }, 0)
    const input = envelope * (0.85 * noise() + 0.25 * voice)
    return resonances.reduce((sum, resonate) => sum + resonate(input), 0.2 * input)
  })
}

/** Barks: a harmonic sound whose pitch rises and falls within 150 ms. */
const createBark: Generator = (sound) => {
  const { rateHz, random } = sound
  const noise = createNoise(sound)
  const count = 2 + Math.floor(random() * 3)
  const periodSeconds = between(random, 0.3, 0.5)
  const baseHz = between(random, 250, 550)
  const body = createResonance(rateHz, between(random, 700, 1_400), 400)
  let phase = 0
  return render(sound, count * periodSeconds, (seconds) => {
    const within = seconds % periodSeconds
    const share = within / 0.16
    if (share >= 1) return body(0)
    phase += (baseHz * (1 + 0.8 * Math.sin(Math.PI * share))) / rateHz
    const source = (phase % 1) * 2 - 1
    return body(Math.sin(Math.PI * share) ** 0.5 * (source + 0.4 * noise()))
  })
}

const createSiren: Generator = (sound) => {
  const { rateHz, random } = sound
  const isTwoTone = random() < 0.5
  const lowHz = between(random, 400, 650)
  const periodSeconds = between(random, 0.7, 2)
  let phase = 0
  return render(sound, between(random, 2, 3.5), (seconds) => {
    const swing = Math.sin((2 * Math.PI * seconds) / periodSeconds)
    phase += (lowHz * (isTwoTone ? (swing > 0 ? 1.33 : 1) : 1.5 + 0.5 * swing)) / rateHz
    return Math.sin(2 * Math.PI * phase) + 0.4 * Math.sin(4 * Math.PI * phase) + 0.2 * Math.sin(6 * Math.PI * phase)
  })
}

const createHorn: Generator = (sound) => {
  const { random } = sound
  const hz = between(random, 320, 440)
  const blasts = 1 + Math.floor(random() * 2)
  const blastSeconds = between(random, 0.3, 0.9)
  return render(sound, blasts * (blastSeconds + 0.2), (seconds) => {
    if (seconds % (blastSeconds + 0.2) > blastSeconds) return 0
    let sum = 0
    for (let harmonic = 1; harmonic <= 8; harmonic += 1) {
      sum += Math.sin(2 * Math.PI * hz * harmonic * seconds) / harmonic
      sum += Math.sin(2 * Math.PI * hz * 1.26 * harmonic * seconds) / harmonic
    }
    return sum / 2
  })
}

const createDoor: Generator = (sound) => {
  const { rateHz, random } = sound
  const noise = createNoise(sound)
  const boom = createResonance(rateHz, between(random, 70, 160), 40)
  const wood = createResonance(rateHz, between(random, 350, 700), 150)
  return render(sound, 0.7, (seconds) => {
    const input = noise() * Math.exp(-seconds / 0.03)
    return 3 * boom(input) + wood(input) + 0.3 * input
  })
}

/** Repeats short decaying hits at irregular times. */
function createHits(
  sound: Sound,
  options: {
    readonly count: number
    readonly gapSeconds: readonly [number, number]
    readonly hz: number
    readonly decay: number
  },
): Float64Array {
  const { rateHz, random } = sound
  const noise = createNoise(sound)
  const resonate = createResonance(rateHz, options.hz, options.hz / 2)
  const starts = [0]
  while (starts.length < options.count) starts.push((starts.at(-1) ?? 0) + between(random, ...options.gapSeconds))
  return render(sound, (starts.at(-1) ?? 0) + 0.2, (seconds) => {
    const start = starts.findLast((candidate) => candidate <= seconds) ?? 0
    return resonate(noise() * Math.exp((start - seconds) / options.decay))
  })
}

const createKeyboard: Generator = (sound) =>
  createHits(sound, { count: 14, gapSeconds: [0.08, 0.25], hz: between(sound.random, 2_000, 3_500), decay: 0.006 })

const createClaps: Generator = (sound) =>
  createHits(sound, { count: 6, gapSeconds: [0.2, 0.4], hz: between(sound.random, 900, 1_500), decay: 0.02 })

const createGlass: Generator = (sound) => {
  const { rateHz, random } = sound
  const noise = createNoise(sound)
  const partials = Array.from({ length: 9 }, () => ({
    hz: between(random, 1_800, 7_000),
    start: random() * 0.35,
    decay: between(random, 0.03, 0.2),
  }))
  return render(sound, 1, (seconds) => {
    const crash = seconds < 0.05 ? noise() * Math.exp(-seconds / 0.02) : 0
    return partials.reduce((sum, { hz, start, decay }) => {
      const after = seconds - start
      if (after < 0 || hz > rateHz / 2) return sum
      return sum + 0.4 * Math.sin(2 * Math.PI * hz * after) * Math.exp(-after / decay)
    }, crash)
  })
}

/** Plucked chords over a beat. */
const createMusic: Generator = (sound) => {
  const { random } = sound
  const noise = createNoise(sound)
  const beatSeconds = between(random, 0.4, 0.6)
  const rootHz = between(random, 130, 220)
  const chords = Array.from({ length: 8 }, () => {
    const root = rootHz * 2 ** (([0, 5, 7, 9, 2][Math.floor(random() * 5)] ?? 0) / 12)
    return [root, root * 1.26, root * 1.5, root * 2]
  })
  return render(sound, beatSeconds * chords.length, (seconds) => {
    const within = seconds % beatSeconds
    const chord = chords[Math.floor(seconds / beatSeconds)] ?? []
    const tone = chord.reduce(
      (sum, hz) => sum + Math.sin(2 * Math.PI * hz * seconds) + 0.4 * Math.sin(4 * Math.PI * hz * seconds),
      0,
    )
    return tone * Math.exp(-within / 0.4) + (within < 0.04 ? noise() : 0)
  })
}

const GENERATORS: Readonly<Record<string, Generator>> = {
  cough: createCough,
  bark: createBark,
  siren: createSiren,
  horn: createHorn,
  door: createDoor,
  keyboard: createKeyboard,
  claps: createClaps,
  glass: createGlass,
  music: createMusic,
  /** A second kind of cough in the rotation, because coughs resemble speech most. */
  throat: createCough,
}

export const NOISE_NAMES: readonly string[] = Object.keys(GENERATORS)

/** Generates a noise with a peak of 20,000. The same seed produces the same noise. */
export function createNoiseSample(name: string, seed: number, rateHz: number): Int16Array {
  const generate = GENERATORS[name]
  if (generate === undefined) throw new Error(`There is no noise named "${name}".`)
  const samples = generate({ rateHz, random: createSeededRandom(seed) })
  const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 1e-9)
  return Int16Array.from(samples, (sample) => Math.round((sample / peak) * 20_000))
}
