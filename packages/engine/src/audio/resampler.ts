/** Number of filter taps at the lower rate. */
const TAPS = 24
/** Window parameter for more than 75 dB attenuation in the stop band. */
const KAISER_BETA = 7.4
/** Center of the transition relative to the lower rate. At 8 kHz, aliases stay above 3.5 kHz. */
const CUTOFF = 0.455

/** Converts a stream's sample rate. */
export interface Resampler {
  /** Returns the samples available so far, owned by the caller. The resampler holds back 12 samples of the lower rate. */
  push(samples: Int16Array): Int16Array
  /** Returns the remaining samples, for a total of `ceil(in * toHz / fromHz)`. The next `push` starts a new stream. */
  flush(): Int16Array
}

interface Filter {
  /** Grid steps between input samples and between output samples. */
  readonly up: number
  readonly down: number
  readonly taps: number
  /** Weights of the neighboring samples for each phase. */
  readonly weights: Float64Array
}

/** Maximum total number of weights in cached filters. The filters of all usual rates have fewer. */
const MAX_KEPT_WEIGHTS = 1_000_000
/** Cached filters, least recently used first. */
const filters = new Map<string, Filter>()
let keptWeights = 0

/**
 * Creates a resampler with a polyphase filter, a Kaiser window and a compensated delay. Weights are cached per pair of rates.
 */
export function createResampler(fromHz: number, toHz: number): Resampler {
  if (fromHz === toHz) return { push: (samples) => samples.slice(), flush: () => new Int16Array(0) }
  return new PolyphaseResampler(getFilter(fromHz, toHz))
}

class PolyphaseResampler implements Resampler {
  readonly #filter: Filter
  #buffer: Float64Array
  #filled: number
  /** Buffer index and phase of the next output sample. */
  #position = 0
  #phase = 0
  #received = 0
  #made = 0

  constructor(filter: Filter) {
    this.#filter = filter
    this.#buffer = new Float64Array(filter.taps * 2 + 1_024)
    this.#filled = filter.taps / 2 - 1
  }

  push(samples: Int16Array): Int16Array {
    this.#received += samples.length
    this.#appendSamples(samples)
    return this.#computeSamples(Number.POSITIVE_INFINITY)
  }

  flush(): Int16Array {
    const { up, down, taps } = this.#filter
    // The last sample requires silence after it.
    this.#appendSamples(new Int16Array(taps / 2 + Math.floor(down / up) + 1))
    const rest = this.#computeSamples(Math.ceil((this.#received * up) / down) - this.#made)
    this.#buffer.fill(0)
    this.#filled = taps / 2 - 1
    this.#position = 0
    this.#phase = 0
    this.#received = 0
    this.#made = 0
    return rest
  }

  #appendSamples(samples: Int16Array): void {
    const needed = this.#filled + samples.length
    if (needed > this.#buffer.length) {
      const larger = new Float64Array(needed * 2)
      larger.set(this.#buffer.subarray(0, this.#filled))
      this.#buffer = larger
    }
    this.#buffer.set(samples, this.#filled)
    this.#filled = needed
  }

  /** Returns all samples with available neighbors. */
  #computeSamples(limit: number): Int16Array {
    const { up, down, taps, weights } = this.#filter
    const buffer = this.#buffer
    let position = this.#position
    let phase = this.#phase
    const output = new Int16Array(Math.max(0, Math.min(limit, this.#countPossible())))
    for (let index = 0; index < output.length; index += 1) {
      const sum = computeWeightedSum(weights, phase * taps, buffer, position, taps)
      output[index] = sum >= 32_767 ? 32_767 : sum <= -32_768 ? -32_768 : Math.floor(sum + 0.5)
      phase += down
      const whole = Math.floor(phase / up)
      position += whole
      phase -= whole * up
    }
    const used = Math.min(position, this.#filled)
    buffer.copyWithin(0, used, this.#filled)
    this.#filled -= used
    this.#position = position - used
    this.#phase = phase
    this.#made += output.length
    return output
  }

  /** Counts the samples that can be computed. Sample k starts at position + floor((phase + k * down) / up). */
  #countPossible(): number {
    const { up, down, taps } = this.#filter
    const spare = this.#filled - taps - this.#position
    return spare < 0 ? 0 : Math.floor(((spare + 1) * up - this.#phase - 1) / down) + 1
  }
}

/** Computes a dot product in two independent sums, four taps at a time, because this is the hot loop. */
function computeWeightedSum(
  weights: Float64Array,
  from: number,
  samples: Float64Array,
  position: number,
  taps: number,
): number {
  let even = 0
  let odd = 0
  for (let tap = 0; tap < taps; tap += 4) {
    const weight = from + tap
    const sample = position + tap
    even += (weights[weight] as number) * (samples[sample] as number)
    odd += (weights[weight + 1] as number) * (samples[sample + 1] as number)
    even += (weights[weight + 2] as number) * (samples[sample + 2] as number)
    odd += (weights[weight + 3] as number) * (samples[sample + 3] as number)
  }
  return even + odd
}

function getFilter(fromHz: number, toHz: number): Filter {
  const divisor = findGreatestCommonDivisor(fromHz, toHz)
  const key = `${fromHz}:${toHz}`
  const known = filters.get(key)
  const filter = known ?? designFilter(toHz / divisor, fromHz / divisor)
  if (known === undefined) keptWeights += filter.weights.length
  filters.delete(key)
  filters.set(key, filter)
  for (const [oldest, { weights }] of filters) {
    if (keptWeights <= MAX_KEPT_WEIGHTS) break
    filters.delete(oldest)
    keptWeights -= weights.length
  }
  return filter
}

function designFilter(up: number, down: number): Filter {
  const ratio = Math.max(1, down / up)
  // Must be a multiple of four (see `weigh`).
  const taps = 4 * Math.ceil((TAPS * ratio) / 4)
  const half = taps / 2
  const cutoff = CUTOFF / ratio
  const weights = new Float64Array(up * taps)
  for (let phase = 0; phase < up; phase += 1) {
    let sum = 0
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = phase / up + half - 1 - tap
      const weight = computeSinc(2 * cutoff * distance) * computeKaiser(distance / half)
      weights[phase * taps + tap] = weight
      sum += weight
    }
    // Normalize each phase, because phase changes would otherwise be audible as a tone.
    for (let tap = 0; tap < taps; tap += 1) weights[phase * taps + tap] = (weights[phase * taps + tap] as number) / sum
  }
  return { up, down, taps, weights }
}

function computeSinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function computeKaiser(x: number): number {
  return Math.abs(x) > 1 ? 0 : computeBesselI0(KAISER_BETA * Math.sqrt(1 - x * x)) / computeBesselI0(KAISER_BETA)
}

/** Computes the modified Bessel function of the first kind and order zero by its power series. */
function computeBesselI0(x: number): number {
  let term = 1
  let sum = 1
  for (let index = 1; term > sum * 1e-12; index += 1) {
    term *= (x / (2 * index)) ** 2
    sum += term
  }
  return sum
}

function findGreatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : findGreatestCommonDivisor(b, a % b)
}
