/** Endless sound between about -1 and 1, determined by rate and random numbers. */
export type SoundSource = (rateHz: number, random: () => number) => () => number

/** One layer of a sound; layers of different lengths keep the mix from repeating for hours. */
export interface SoundPart {
  readonly source: SoundSource
  readonly durationMs: number
  /** The source repeats after this duration, as music does. */
  readonly isPeriodic?: boolean
}

/** Band-pass filter (state variable). */
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

/** First-order low-pass filter. */
export function createLowPass(rateHz: number, hz: number): (input: number) => number {
  const share = 1 - Math.exp((-2 * Math.PI * hz) / rateHz)
  let value = 0
  return (input) => {
    value += share * (input - value)
    return value
  }
}

/** A value that drifts smoothly between `low` and `high`. */
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

/** A sound that ends: its value at a time in seconds, `null` after its end. */
export type SoundEvent = (seconds: number) => number | null

/** Short sounds at random intervals of `everyMs` on average, each with its own loudness. At most four overlap. */
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
