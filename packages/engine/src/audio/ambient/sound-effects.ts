/** Creates an endless sound with samples from about -1 to 1. The same rate and random numbers produce the same sound. */
export type SoundSource = (rateHz: number, random: () => number) => () => number

/** A layer of a sound. Layers of different lengths keep the mix from repeating for hours. */
export interface SoundPart {
  readonly source: SoundSource
  readonly durationMs: number
  /** Whether the source repeats after this duration, as music does. */
  readonly isPeriodic?: boolean
}

/** Creates a band-pass filter (state variable). */
function createBandPass(rateHz: number, hz: number, quality: number): (input: number) => number {
  const tangent = Math.tan((Math.PI * Math.min(hz, rateHz * 0.45)) / rateHz)
  const damping = 1 / quality
  const scale = 1 / (1 + tangent * (tangent + damping))
  let firstState = 0
  let secondState = 0
  return (input) => {
    const band = scale * (firstState + tangent * (input - secondState))
    const low = secondState + tangent * band
    firstState = 2 * band - firstState
    secondState = 2 * low - secondState
    return band * damping
  }
}

/** Creates a first-order low-pass filter. */
function createLowPass(rateHz: number, hz: number): (input: number) => number {
  const smoothing = 1 - Math.exp((-2 * Math.PI * hz) / rateHz)
  let value = 0
  return (input) => {
    value += smoothing * (input - value)
    return value
  }
}

/** Creates a value that drifts smoothly between `low` and `high`. */
function createDrift(
  rateHz: number,
  random: () => number,
  { low, high, intervalMs }: { low: number; high: number; intervalMs: number },
): () => number {
  let from = low + random() * (high - low)
  let to = low + random() * (high - low)
  let step = 0
  let steps = 1
  return () => {
    if (step >= steps) {
      from = to
      to = low + random() * (high - low)
      step = 0
      steps = Math.max(1, Math.round((rateHz * intervalMs * (0.6 + 0.8 * random())) / 1000))
    }
    step += 1
    const progress = step / steps
    return from + (to - from) * progress * progress * (3 - 2 * progress)
  }
}

/** A finite sound that maps a time in seconds to a value, or to `null` after the end. */
type SoundEvent = (seconds: number) => number | null

/** Plays short sounds of random loudness at random intervals of `intervalMs` on average. At most four overlap. */
function scatterEvents(intervalMs: number, createEvent: (random: () => number) => SoundEvent): SoundSource {
  return (rateHz, random) => {
    const activeEvents: { readonly event: SoundEvent; readonly loudness: number; step: number }[] = []
    const drawPauseSamples = (): number => Math.round((-Math.log(1 - random()) * intervalMs * rateHz) / 1000)
    let waitSamples = Math.round(drawPauseSamples() / 3)
    return () => {
      waitSamples -= 1
      if (waitSamples <= 0) {
        waitSamples = Math.max(1, drawPauseSamples())
        if (activeEvents.length < 4)
          activeEvents.push({ event: createEvent(random), loudness: 0.3 + 0.7 * random(), step: 0 })
      }
      let sum = 0
      for (let index = activeEvents.length - 1; index >= 0; index -= 1) {
        const current = activeEvents[index]
        if (current === undefined) continue
        const value = current.event(current.step / rateHz)
        current.step += 1
        if (value === null) activeEvents.splice(index, 1)
        else sum += value * current.loudness
      }
      return sum
    }
  }
}

export function createHiss(gain: number): SoundSource {
  return (rateHz, random) => {
    const lowPass = createLowPass(rateHz, 2_600)
    return () => gain * lowPass(random() * 2 - 1)
  }
}

/** Creates low-frequency noise, like that of a hall, distant traffic or a quiet room. */
export function createRumble(gain: number, hz: number): SoundSource {
  return (rateHz, random) => {
    const firstFilter = createLowPass(rateHz, hz)
    const secondFilter = createLowPass(rateHz, hz * 2)
    return () => gain * 3 * secondFilter(firstFilter(random() * 2 - 1))
  }
}

/** Creates gusts of wind from noise with drifting color and strength. */
export function createWind(gain: number): SoundSource {
  return (rateHz, random) => {
    const low = createBandPass(rateHz, 220, 0.9)
    const middle = createBandPass(rateHz, 480, 1.6)
    const howl = createBandPass(rateHz, 820, 7)
    const strength = createDrift(rateHz, random, { low: 0.25, high: 1, intervalMs: 2_100 })
    const howlStrength = createDrift(rateHz, random, { low: 0, high: 1, intervalMs: 1_300 })
    return () => {
      const noise = random() * 2 - 1
      const force = strength()
      return (
        gain * force * (1.6 * low(noise) + 1.4 * force * middle(noise) + 1.6 * force * howlStrength() * howl(noise))
      )
    }
  }
}

/** Creates occasional crackle, like that of an old record. */
export function createCrackle(gain: number, perSecond: number): SoundSource {
  return (rateHz, random) => {
    const filter = createBandPass(rateHz, 1_900, 0.8)
    return () => gain * 6 * filter(random() < perSecond / rateHz ? random() * 2 - 1 : 0)
  }
}

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

/** Creates distant conversation without intelligible words. */
export function createMurmur({ voices, gain, cutoffHz }: MurmurOptions): SoundSource {
  return (rateHz, random) => {
    const speakers = Array.from({ length: voices }, () => createSpeaker(rateHz, random))
    const lowPass = createLowPass(rateHz, cutoffHz)
    return () => {
      let sum = 0
      for (const speak of speakers) sum += speak()
      return gain * lowPass(sum)
    }
  }
}

function createSpeaker(rateHz: number, random: () => number): () => number {
  const filters = VOWELS.map(([first, second]) => ({
    first: createBandPass(rateHz, first * (0.92 + 0.16 * random()), 6),
    second: createBandPass(rateHz, second * (0.92 + 0.16 * random()), 9),
  }))
  const basePitchHz = 95 + random() * 120
  const nearness = 0.35 + 0.65 * random()
  let filter = filters[0]
  let remainingSamples = 0
  let syllableSamples = 1
  let loudness = 0
  let pitchHz = basePitchHz
  let phase = random()
  return () => {
    if (remainingSamples <= 0) {
      // Start the next syllable or pause.
      const randomValue = random()
      loudness = randomValue < 0.18 ? 0 : nearness * (0.4 + 0.6 * random())
      syllableSamples = Math.round(rateHz * (randomValue < 0.06 ? 0.6 + random() : 0.09 + 0.15 * random()))
      remainingSamples = syllableSamples
      pitchHz = basePitchHz * (0.85 + 0.35 * random())
      filter = filters[Math.floor(random() * filters.length)]
    }
    remainingSamples -= 1
    phase += pitchHz / rateHz
    if (phase >= 1) phase -= 1
    if (filter === undefined) return 0
    const progress = remainingSamples / syllableSamples
    const envelope = loudness * 4 * progress * (1 - progress)
    const excitation = (2 * phase - 1) * 0.8 + (random() - 0.5) * 0.5
    return envelope * (filter.first(excitation) * 1.4 + filter.second(excitation) * 0.7)
  }
}

/** Creates the sound of cups and spoons: short strikes with inharmonic overtones. */
export function createCups(gain: number, intervalMs: number): SoundSource {
  return scatterEvents(intervalMs, (random) => {
    const hz = 1_500 + random() * 1_300
    const decayRate = 26 + random() * 22
    const secondStrikeSeconds = random() < 0.35 ? 0.09 + random() * 0.08 : 9
    const strike = (seconds: number): number =>
      seconds < 0
        ? 0
        : Math.exp(-decayRate * seconds) *
          Math.min(1, seconds * 900) *
          (Math.sin(2 * Math.PI * hz * seconds) + 0.5 * Math.sin(2 * Math.PI * hz * 1.37 * seconds))
    return (seconds) => (seconds > 0.4 ? null : gain * (strike(seconds) + 0.6 * strike(seconds - secondStrikeSeconds)))
  })
}

/** Creates a distant desk phone that rings once or twice. */
export function createDeskPhones(gain: number, intervalMs: number): SoundSource {
  return scatterEvents(intervalMs, (random) => {
    const hz = 850 + random() * 450
    const rings = 1 + Math.floor(random() * 2)
    return (seconds) => {
      if (seconds > rings * 2.2) return null
      const ringSeconds = seconds % 2.2
      if (ringSeconds > 0.9) return 0
      const warbleHz = Math.floor(ringSeconds / 0.05) % 2 === 0 ? hz : hz * 1.25
      const fade = Math.min(1, ringSeconds * 80, (0.9 - ringSeconds) * 80)
      return gain * 0.5 * fade * Math.sin(2 * Math.PI * warbleHz * ringSeconds)
    }
  })
}

/** Creates birdsong from a few gliding notes. */
export function createBirds(gain: number, intervalMs: number): SoundSource {
  return scatterEvents(intervalMs, (random) => {
    const noteCount = 2 + Math.floor(random() * 5)
    const noteSeconds = 0.06 + random() * 0.09
    const baseHz = 2_000 + random() * 1_000
    const glideHz = (random() - 0.4) * 1_200
    const shape = random() * 3
    return (seconds) => {
      const note = Math.floor(seconds / (noteSeconds * 1.6))
      if (note >= noteCount) return null
      const secondsInNote = seconds - note * noteSeconds * 1.6
      if (secondsInNote > noteSeconds) return 0
      const progress = secondsInNote / noteSeconds
      const hz = baseHz + 180 * Math.sin(note * shape)
      // The phase is the integral of the gliding frequency.
      const turns = hz * secondsInNote + (glideHz * secondsInNote * progress) / 2
      return gain * Math.sin(Math.PI * progress) * Math.sin(2 * Math.PI * turns)
    }
  })
}

/** Creates the sound of crickets from pulse trains that swell and fade. */
export function createCrickets(gain: number): SoundSource {
  return (rateHz, random) => {
    const crickets = Array.from({ length: 3 }, () => ({
      hz: 2_900 + random() * 500,
      pulsesHz: 22 + random() * 9,
      phraseSeconds: 0.9 + random() * 0.8,
      loudness: 0.3 + 0.7 * random(),
      offset: random() * 5,
    }))
    let step = 0
    return () => {
      const seconds = step / rateHz
      step += 1
      let sum = 0
      for (const { hz, pulsesHz, phraseSeconds, loudness, offset } of crickets) {
        const progress = ((seconds + offset) % phraseSeconds) / phraseSeconds
        if (progress > 0.6) continue
        const pulse = Math.max(0, Math.sin(2 * Math.PI * pulsesHz * seconds))
        sum += loudness * Math.sin((Math.PI * progress) / 0.6) * pulse * pulse * Math.sin(2 * Math.PI * hz * seconds)
      }
      return gain * sum
    }
  }
}

/** Creates keyboard typing in bursts with pauses. */
export function createTyping(gain: number): SoundSource {
  return (rateHz, random) => {
    let waitSamples = 0
    let keysInBurst = 3 + Math.floor(random() * 8)
    let keySeconds = 1
    let hz = 1_800
    let loudness = 1
    let isRelease = false
    return () => {
      waitSamples -= 1
      if (waitSamples <= 0) {
        keySeconds = 0
        isRelease = !isRelease
        loudness = isRelease ? 0.3 + 0.2 * random() : 0.6 + 0.4 * random()
        hz = (isRelease ? 2_300 : 1_500) + random() * 700
        // A key is released 60 ms after the press.
        const nextKeyMs = keysInBurst > 0 ? 45 + 90 * random() : 350 + 700 * random()
        if (!isRelease) keysInBurst = keysInBurst > 0 ? keysInBurst - 1 : 4 + Math.floor(random() * 9)
        waitSamples = Math.round((rateHz * (isRelease ? nextKeyMs : 45 + 30 * random())) / 1000)
      }
      keySeconds += 1 / rateHz
      if (keySeconds > 0.05) return 0
      const body = Math.sin(2 * Math.PI * hz * keySeconds) * Math.exp(-keySeconds * 160)
      const click = (random() * 2 - 1) * Math.exp(-keySeconds * 420)
      return gain * loudness * (0.7 * click + 0.5 * body)
    }
  }
}
