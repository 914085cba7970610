/** Zero crossings on each side of a sample, for a stop-band attenuation of about 80 dB. */
const CROSSINGS = 16
/** Kaiser window parameter for this attenuation. */
const KAISER_BETA = 8
/** Width of the pass band. The remainder is the transition band. */
const BANDWIDTH = 0.92
/** Maximum number of phases. Other positions are rounded to the nearest phase. */
const MAX_PHASES = 1_024

/**
 * Polyphase resampler with a windowed sinc. `getInputCount` returns the number of input samples that an output requires.
 */
export class Resampler {
  readonly #step: number
  readonly #phases: number
  readonly #filters: readonly Float32Array[]
  readonly #taps: number
  /** Latest input, stored twice so that every window is contiguous. */
  readonly #history: Float32Array
  #writeIndex = 0
  /** Delay of the next output behind the latest input, in units of 1/`#phases` of an input sample. */
  #lag: number

  constructor(fromHz: number, toHz: number) {
    const divisor = findGreatestCommonDivisor(fromHz, toHz)
    const exactPhases = toHz / divisor
    this.#phases = Math.min(exactPhases, MAX_PHASES)
    this.#step = (fromHz / divisor) * (this.#phases / exactPhases)
    const stretch = Math.max(1, fromHz / toHz)
    this.#taps = 2 * Math.ceil(CROSSINGS * stretch)
    this.#filters = createFilters(this.#phases, this.#taps, stretch)
    this.#history = new Float32Array(this.#taps * 2)
    this.#lag = this.#phases
  }

  /** Returns the number of input samples required for a number of output samples. */
  getInputCount(outputCount: number): number {
    if (outputCount === 0) return 0
    return Math.max(0, Math.floor((this.#lag + (outputCount - 1) * this.#step) / this.#phases))
  }

  /** Consumes `count` samples and returns the number of samples written. */
  run(input: Float32Array, count: number, output: Float32Array): number {
    let written = this.#writeAvailable(output, 0)
    for (let index = 0; index < count; index += 1) {
      this.#pushSample(input[index] ?? 0)
      written = this.#writeAvailable(output, written)
    }
    return written
  }

  /** Writes all available samples, starting at `written`, and returns the end position. */
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
    this.#history[this.#writeIndex] = sample
    this.#history[this.#writeIndex + this.#taps] = sample
    this.#writeIndex = (this.#writeIndex + 1) % this.#taps
    this.#lag -= this.#phases
  }

  #nextSample(): number {
    const filter = this.#filters[Math.min(this.#phases - 1, Math.max(0, Math.round(this.#lag)))] as Float32Array
    const history = this.#history
    const start = this.#writeIndex
    let sum = 0
    for (let tap = 0; tap < this.#taps; tap += 1) sum += (history[start + tap] as number) * (filter[tap] as number)
    return sum
  }
}

function findGreatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : findGreatestCommonDivisor(right, left % right)
}

/** Creates one normalized filter per phase, oldest sample first. */
function createFilters(phases: number, taps: number, stretch: number): Float32Array[] {
  const half = taps / 2
  return Array.from({ length: phases }, (_, phase) => {
    const filter = new Float32Array(taps)
    let sum = 0
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = tap - (half - 1) - phase / phases
      const value = calculateSinc((distance * BANDWIDTH) / stretch) * calculateKaiserWindow(distance / half)
      filter[tap] = value
      sum += value
    }
    return filter.map((value) => value / sum)
  })
}

function calculateSinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function calculateKaiserWindow(x: number): number {
  return Math.abs(x) > 1 ? 0 : calculateBessel(KAISER_BETA * Math.sqrt(1 - x * x)) / calculateBessel(KAISER_BETA)
}

/** Calculates the modified Bessel function of the first kind and order zero by its power series. */
function calculateBessel(x: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / 2 / k) ** 2
    sum += term
  }
  return sum
}
