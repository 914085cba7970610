/** Endless sound, about -1 to 1. The same rate and the same chance make the same sound. */
export type SoundSource = (rateHz: number, random: () => number) => () => number

/** Part of a sound: each comes round after its own time, so that the whole does not repeat for hours. */
export interface SoundPart {
  readonly source: SoundSource
  readonly durationMs: number
  /** The source itself comes round after this time, as music does. */
  readonly isPeriodic?: boolean
}

/** Louder and quieter parts of a spectrum around one frequency: a state-variable filter. */
export function createBandPass(rateHz: number, hz: number, quality: number): (input: number) => number {
  const tangent = Math.tan((Math.PI * Math.min(hz, rateHz * 0.45)) / rateHz)
  const damping = 1 / quality
  const scale = 1 / (1 + tangent * (tangent + damping))
  let first = 0
  let second = 0
  return (input) => {
    const band = scale * (first + tangent * (input - second))
    const low = second + tangent * band
    first = 2 * band - first
    second = 2 * low - second
    return band * damping
  }
}

/** Takes away what is above a frequency, gently. */
export function createLowPass(rateHz: number, hz: number): (input: number) => number {
  const share = 1 - Math.exp((-2 * Math.PI * hz) / rateHz)
  let value = 0
  return (input) => {
    value += share * (input - value)
    return value
  }
}

/** A value that wanders between `low` and `high` and turns every now and then, never suddenly. */
export function createDrift(
  rateHz: number,
  random: () => number,
  { low, high, everyMs }: { low: number; high: number; everyMs: number },
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
      steps = Math.max(1, Math.round((rateHz * everyMs * (0.6 + 0.8 * random())) / 1000))
    }
    step += 1
    const share = step / steps
    return from + (to - from) * share * share * (3 - 2 * share)
  }
}

/** A sound that is over after a while: its value after so many seconds, `null` at its end. */
export type SoundEvent = (seconds: number) => number | null

/**
 * Short sounds at odd times, `everyMs` apart on average, each at a loudness of its own. They may overlap, up to four at a time.
 */
export function scattered(everyMs: number, createEvent: (random: () => number) => SoundEvent): SoundSource {
  return (rateHz, random) => {
    const running: { readonly event: SoundEvent; readonly loudness: number; step: number }[] = []
    const pause = (): number => Math.round((-Math.log(1 - random()) * everyMs * rateHz) / 1000)
    let wait = Math.round(pause() / 3)
    return () => {
      wait -= 1
      if (wait <= 0) {
        wait = Math.max(1, pause())
        if (running.length < 4) running.push({ event: createEvent(random), loudness: 0.3 + 0.7 * random(), step: 0 })
      }
      let sum = 0
      for (let index = running.length - 1; index >= 0; index -= 1) {
        const current = running[index]
        if (current === undefined) continue
        const value = current.event(current.step / rateHz)
        current.step += 1
        if (value === null) running.splice(index, 1)
        else sum += value * current.loudness
      }
      return sum
    }
  }
}
