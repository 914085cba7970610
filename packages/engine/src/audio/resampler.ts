/** Number of filter taps at the lower rate. */
const TAPS = 24
/** Window parameter for more than 75 dB attenuation in the stop band. */
const KAISER_BETA = 7.4
/** Center of the transition band relative to the lower rate. At 8 kHz, aliases stay above 3.5 kHz. */
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

/** Maximum total number of weights in cached filters. Common sample rates never reach it. */
const MAX_CACHED_WEIGHTS = 1_000_000
/** Cached filters, least recently used first. */
const filters = new Map<string, Filter>()
let cachedWeights = 0

/** Creates a resampler with a cached polyphase filter, a Kaiser window and delay compensation. */
export function createResampler(fromHz: number, toHz: number): Resampler {
  if (fromHz === toHz) return { push: (samples) => samples.slice(), flush: () => new Int16Array(0) }
  return new PolyphaseResampler(getFilter(fromHz, toHz))
}

class PolyphaseResampler implements Resampler {
  readonly #filter: Filter
  #buffer: Float64Array
  #filledSamples: number
  /** Buffer index and phase of the next output sample. */
  #position = 0
  #phase = 0
  #receivedSamples = 0
  #returnedSamples = 0

  constructor(filter: Filter) {
    this.#filter = filter
    this.#buffer = new Float64Array(filter.taps * 2 + 1_024)
    this.#filledSamples = filter.taps / 2 - 1
  }

  push(samples: Int16Array): Int16Array {
    this.#receivedSamples += samples.length
    this.#appendSamples(samples)
    return this.#computeSamples(Number.POSITIVE_INFINITY)
  }

  flush(): Int16Array {
    const { up, down, taps } = this.#filter
    // Pad with silence so that the last samples can be computed.
    this.#appendSamples(new Int16Array(taps / 2 + Math.floor(down / up) + 1))
    const remainingSamples = this.#computeSamples(
      Math.ceil((this.#receivedSamples * up) / down) - this.#returnedSamples,
    )
    this.#buffer.fill(0)
    this.#filledSamples = taps / 2 - 1
    this.#position = 0
    this.#phase = 0
    this.#receivedSamples = 0
    this.#returnedSamples = 0
    return remainingSamples
  }

  #appendSamples(samples: Int16Array): void {
    const neededLength = this.#filledSamples + samples.length
    if (neededLength > this.#buffer.length) {
      const largerBuffer = new Float64Array(neededLength * 2)
      largerBuffer.set(this.#buffer.subarray(0, this.#filledSamples))
      this.#buffer = largerBuffer
    }
    this.#buffer.set(samples, this.#filledSamples)
    this.#filledSamples = neededLength
  }

  /** Returns the samples whose neighbors are available. */
  #computeSamples(limit: number): Int16Array {
    const { up, down, taps, weights } = this.#filter
    const buffer = this.#buffer
    let position = this.#position
    let phase = this.#phase
    const output = new Int16Array(Math.max(0, Math.min(limit, this.#countAvailable())))
    for (let index = 0; index < output.length; index += 1) {
      const sum = computeWeightedSum(weights, phase * taps, buffer, position, taps)
      output[index] = sum >= 32_767 ? 32_767 : sum <= -32_768 ? -32_768 : Math.floor(sum + 0.5)
      phase += down
      const steps = Math.floor(phase / up)
      position += steps
      phase -= steps * up
    }
    const consumedSamples = Math.min(position, this.#filledSamples)
    buffer.copyWithin(0, consumedSamples, this.#filledSamples)
    this.#filledSamples -= consumedSamples
    this.#position = position - consumedSamples
    this.#phase = phase
    this.#returnedSamples += output.length
    return output
  }

  /** Returns the number of samples that can be computed. Sample k starts at position + floor((phase + k * down) / up). */
  #countAvailable(): number {
    const { up, down, taps } = this.#filter
    const spareSamples = this.#filledSamples - taps - this.#position
    return spareSamples < 0 ? 0 : Math.floor(((spareSamples + 1) * up - this.#phase - 1) / down) + 1
  }
}

/** Computes a dot product with two independent sums and an unrolled loop, because this code is performance-critical. */
function computeWeightedSum(
  weights: Float64Array,
  weightOffset: number,
  samples: Float64Array,
  position: number,
  taps: number,
): number {
  let even = 0
  let odd = 0
  for (let tap = 0; tap < taps; tap += 4) {
    const weightIndex = weightOffset + tap
    const sampleIndex = position + tap
    even += (weights[weightIndex] as number) * (samples[sampleIndex] as number)
    odd += (weights[weightIndex + 1] as number) * (samples[sampleIndex + 1] as number)
    even += (weights[weightIndex + 2] as number) * (samples[sampleIndex + 2] as number)
    odd += (weights[weightIndex + 3] as number) * (samples[sampleIndex + 3] as number)
  }
  return even + odd
}

function getFilter(fromHz: number, toHz: number): Filter {
  const divisor = findGreatestCommonDivisor(fromHz, toHz)
  const key = `${fromHz}:${toHz}`
  const cached = filters.get(key)
  const filter = cached ?? designFilter(toHz / divisor, fromHz / divisor)
  if (cached === undefined) cachedWeights += filter.weights.length
  filters.delete(key)
  filters.set(key, filter)
  for (const [oldestKey, { weights }] of filters) {
    if (cachedWeights <= MAX_CACHED_WEIGHTS) break
    filters.delete(oldestKey)
    cachedWeights -= weights.length
  }
  return filter
}

function designFilter(up: number, down: number): Filter {
  const ratio = Math.max(1, down / up)
  // Must be a multiple of four (see `computeWeightedSum`).
  const taps = 4 * Math.ceil((TAPS * ratio) / 4)
  const halfTaps = taps / 2
  const cutoff = CUTOFF / ratio
  const weights = new Float64Array(up * taps)
  for (let phase = 0; phase < up; phase += 1) {
    let sum = 0
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = phase / up + halfTaps - 1 - tap
      const weight = computeSinc(2 * cutoff * distance) * computeKaiser(distance / halfTaps)
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
