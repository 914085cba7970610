/** Zero crossings of the filter on each side of a sample: about 80 dB of what does not belong is kept out. */
const CROSSINGS = 16
/** Form of the Kaiser window for that. */
const KAISER_BETA = 8
/** Share of the band that is kept; the rest is the slope of the filter. */
const BANDWIDTH = 0.92
/** More phases than this are rounded to the nearest one. */
const MAX_PHASES = 1_024

/**
 * Changes the rate of a stream of samples: a polyphase filter with a windowed sinc. It is asked for output, and says how much
 * input that takes, so that it can both cut what a microphone gives and feed a loudspeaker.
 */
export class Resampler {
  readonly #step: number
  readonly #phases: number
  readonly #filters: readonly Float32Array[]
  readonly #taps: number
  /** The latest input, twice in a row, so that a window of it is always in one piece. */
  readonly #history: Float32Array
  #at = 0
  /** How far the next output is behind the latest input, in parts of an input sample: `#phases` parts each. */
  #lag: number

  constructor(fromHz: number, toHz: number) {
    const divisor = greatestDivisor(fromHz, toHz)
    const exact = toHz / divisor
    this.#phases = Math.min(exact, MAX_PHASES)
    this.#step = (fromHz / divisor) * (this.#phases / exact)
    const stretch = Math.max(1, fromHz / toHz)
    this.#taps = 2 * Math.ceil(CROSSINGS * stretch)
    this.#filters = makeFilters(this.#phases, this.#taps, stretch)
    this.#history = new Float32Array(this.#taps * 2)
    this.#lag = this.#phases
  }

  /** Input samples that it takes to make this many samples of output. */
  inputFor(outputCount: number): number {
    if (outputCount === 0) return 0
    return Math.max(0, Math.floor((this.#lag + (outputCount - 1) * this.#step) / this.#phases))
  }

  /** Takes `count` samples, writes what can be made of them and tells how many that were. */
  run(input: Float32Array, count: number, output: Float32Array): number {
    let written = this.#writeAvailable(output, 0)
    for (let index = 0; index < count; index += 1) {
      this.#pushSample(input[index] ?? 0)
      written = this.#writeAvailable(output, written)
    }
    return written
  }

  /** Writes from `written` on what the input so far is good for, and tells where it stopped. */
  #writeAvailable(output: Float32Array, written: number): number {
    let end = written
    while (this.#lag < this.#phases && end < output.length) {
      output[end] = this.#nextSample()
      end += 1
      this.#lag += this.#step
    }
    return end
  }

  #pushSample(sample: number): void {
    this.#history[this.#at] = sample
    this.#history[this.#at + this.#taps] = sample
    this.#at = (this.#at + 1) % this.#taps
    this.#lag -= this.#phases
  }

  #nextSample(): number {
    const filter = this.#filters[Math.min(this.#phases - 1, Math.max(0, Math.round(this.#lag)))] as Float32Array
    const history = this.#history
    const from = this.#at
    let sum = 0
    for (let tap = 0; tap < this.#taps; tap += 1) sum += (history[from + tap] as number) * (filter[tap] as number)
    return sum
  }
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other)
}

/** One filter for each place between two input samples, oldest sample first, each with a sum of 1. */
function makeFilters(phases: number, taps: number, stretch: number): Float32Array[] {
  const half = taps / 2
  return Array.from({ length: phases }, (_, phase) => {
    const filter = new Float32Array(taps)
    let sum = 0
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = tap - (half - 1) - phase / phases
      const value = sinc((distance * BANDWIDTH) / stretch) * kaiser(distance / half)
      filter[tap] = value
      sum += value
    }
    return filter.map((value) => value / sum)
  })
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function kaiser(x: number): number {
  return Math.abs(x) > 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA)
}

/** The modified Bessel function of the first kind and order zero, by its series. */
function bessel(x: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / 2 / k) ** 2
    sum += term
  }
  return sum
}
