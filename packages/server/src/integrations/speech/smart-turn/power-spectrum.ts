/** Length of the transformed frames. */
export const FRAME_SAMPLES = 400
/** Number of frequencies from 0 Hz to half of the sample rate. */
export const FREQUENCY_BINS = FRAME_SAMPLES / 2 + 1

interface ComplexArray {
  readonly real: Float64Array
  readonly imaginary: Float64Array
}

function createComplexArray(): ComplexArray {
  return { real: new Float64Array(FRAME_SAMPLES), imaginary: new Float64Array(FRAME_SAMPLES) }
}

/** A step of the Stockham transform, which combines `radix` values at a time and keeps the natural order. */
interface Step {
  /** Product of the radixes of the previous steps. */
  readonly stride: number
  readonly combine: (source: ComplexArray, target: ComplexArray, stride: number) => void
  /** Factors of the results. */
  readonly twiddles: ComplexArray
}

function createStep(radix: 4 | 5, stride: number): Step {
  const twiddles = createComplexArray()
  for (let index = 0; index < FRAME_SAMPLES; index += 1) {
    const output = Math.floor(index / stride) % radix
    const group = Math.floor(index / (stride * radix))
    const angle = (-2 * Math.PI * output * group * stride) / FRAME_SAMPLES
    twiddles.real[index] = Math.cos(angle)
    twiddles.imaginary[index] = Math.sin(angle)
  }
  return { stride, combine: radix === 4 ? combineFours : combineFives, twiddles }
}

const STEPS = [createStep(4, 1), createStep(4, 4), createStep(5, 16), createStep(5, 80)]

/** Computes power spectra of real frames, two per transform: one is the real part of the input, and one the imaginary part. */
export class PowerSpectrum {
  readonly #first = createComplexArray()
  readonly #second = createComplexArray()

  /** Real and imaginary part of the next input. `transform` overwrites them. */
  get input(): ComplexArray {
    return this.#first
  }

  /** Writes the squared magnitudes of both frames. */
  transform(realPower: Float64Array, imaginaryPower: Float64Array): void {
    let source = this.#first
    let target = this.#second
    for (const { stride, combine, twiddles } of STEPS) {
      combine(source, target, stride)
      multiply(target, twiddles)
      const previousSource = source
      source = target
      target = previousSource
    }
    separate(source, realPower, imaginaryPower)
  }
}

/** Separates two frames. The spectrum of a real frame is symmetric, so sums and differences of mirrored values belong to one. */
function separate({ real, imaginary }: ComplexArray, realPower: Float64Array, imaginaryPower: Float64Array): void {
  for (let bin = 0; bin < FREQUENCY_BINS; bin += 1) {
    const mirrored = bin === 0 ? 0 : FRAME_SAMPLES - bin
    const realSum = (real[bin] as number) + (real[mirrored] as number)
    const realDifference = (real[bin] as number) - (real[mirrored] as number)
    const imaginarySum = (imaginary[bin] as number) + (imaginary[mirrored] as number)
    const imaginaryDifference = (imaginary[bin] as number) - (imaginary[mirrored] as number)
    realPower[bin] = (realSum * realSum + imaginaryDifference * imaginaryDifference) / 4
    imaginaryPower[bin] = (imaginarySum * imaginarySum + realDifference * realDifference) / 4
  }
}

function multiply({ real, imaginary }: ComplexArray, factors: ComplexArray): void {
  for (let index = 0; index < FRAME_SAMPLES; index += 1) {
    const valueReal = real[index] as number
    const valueImaginary = imaginary[index] as number
    const factorReal = factors.real[index] as number
    const factorImaginary = factors.imaginary[index] as number
    real[index] = valueReal * factorReal - valueImaginary * factorImaginary
    imaginary[index] = valueReal * factorImaginary + valueImaginary * factorReal
  }
}

/** Transforms groups of four values. */
function combineFours(source: ComplexArray, target: ComplexArray, stride: number): void {
  const quarter = FRAME_SAMPLES / 4
  for (let from = 0; from < quarter; from += 1) {
    const r0 = source.real[from] as number
    const i0 = source.imaginary[from] as number
    const r1 = source.real[from + quarter] as number
    const i1 = source.imaginary[from + quarter] as number
    const r2 = source.real[from + 2 * quarter] as number
    const i2 = source.imaginary[from + 2 * quarter] as number
    const r3 = source.real[from + 3 * quarter] as number
    const i3 = source.imaginary[from + 3 * quarter] as number
    const to = getTarget(from, stride, 4)
    target.real[to] = r0 + r2 + (r1 + r3)
    target.imaginary[to] = i0 + i2 + (i1 + i3)
    target.real[to + stride] = r0 - r2 + (i1 - i3)
    target.imaginary[to + stride] = i0 - i2 - (r1 - r3)
    target.real[to + 2 * stride] = r0 + r2 - (r1 + r3)
    target.imaginary[to + 2 * stride] = i0 + i2 - (i1 + i3)
    target.real[to + 3 * stride] = r0 - r2 - (i1 - i3)
    target.imaginary[to + 3 * stride] = i0 - i2 + (r1 - r3)
  }
}

const COSINE_1 = Math.cos((2 * Math.PI) / 5)
const COSINE_2 = Math.cos((4 * Math.PI) / 5)
const SINE_1 = Math.sin((2 * Math.PI) / 5)
const SINE_2 = Math.sin((4 * Math.PI) / 5)

/** Transforms groups of five values. Sums and differences of mirrored values save half of the multiplications. */
function combineFives(source: ComplexArray, target: ComplexArray, stride: number): void {
  const fifth = FRAME_SAMPLES / 5
  for (let from = 0; from < fifth; from += 1) {
    const r0 = source.real[from] as number
    const i0 = source.imaginary[from] as number
    const [near, far] = [from + fifth, from + 4 * fifth]
    const nearRealSum = (source.real[near] as number) + (source.real[far] as number)
    const nearImaginarySum = (source.imaginary[near] as number) + (source.imaginary[far] as number)
    const nearReal = (source.real[near] as number) - (source.real[far] as number)
    const nearImaginary = (source.imaginary[near] as number) - (source.imaginary[far] as number)
    const [low, high] = [from + 2 * fifth, from + 3 * fifth]
    const midRealSum = (source.real[low] as number) + (source.real[high] as number)
    const midImaginarySum = (source.imaginary[low] as number) + (source.imaginary[high] as number)
    const midReal = (source.real[low] as number) - (source.real[high] as number)
    const midImaginary = (source.imaginary[low] as number) - (source.imaginary[high] as number)

    const evenReal1 = r0 + COSINE_1 * nearRealSum + COSINE_2 * midRealSum
    const evenImaginary1 = i0 + COSINE_1 * nearImaginarySum + COSINE_2 * midImaginarySum
    const evenReal2 = r0 + COSINE_2 * nearRealSum + COSINE_1 * midRealSum
    const evenImaginary2 = i0 + COSINE_2 * nearImaginarySum + COSINE_1 * midImaginarySum
    const oddReal1 = SINE_1 * nearReal + SINE_2 * midReal
    const oddImaginary1 = SINE_1 * nearImaginary + SINE_2 * midImaginary
    const oddReal2 = SINE_2 * nearReal - SINE_1 * midReal
    const oddImaginary2 = SINE_2 * nearImaginary - SINE_1 * midImaginary

    const to = getTarget(from, stride, 5)
    target.real[to] = r0 + nearRealSum + midRealSum
    target.imaginary[to] = i0 + nearImaginarySum + midImaginarySum
    target.real[to + stride] = evenReal1 + oddImaginary1
    target.imaginary[to + stride] = evenImaginary1 - oddReal1
    target.real[to + 2 * stride] = evenReal2 + oddImaginary2
    target.imaginary[to + 2 * stride] = evenImaginary2 - oddReal2
    target.real[to + 3 * stride] = evenReal2 - oddImaginary2
    target.imaginary[to + 3 * stride] = evenImaginary2 + oddReal2
    target.real[to + 4 * stride] = evenReal1 - oddImaginary1
    target.imaginary[to + 4 * stride] = evenImaginary1 + oddReal1
  }
}

/** Returns the index of a group's first result. */
function getTarget(from: number, stride: number, radix: number): number {
  const offset = from % stride
  return offset + (from - offset) * radix
}
