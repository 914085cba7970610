import createKissFft from '@echogarden/kissfft-wasm'

/** Length of the transformed frames. */
export const FRAME_SAMPLES = 400
/** Number of frequencies from 0 Hz to half of the sample rate. */
export const FREQUENCY_BINS = FRAME_SAMPLES / 2 + 1

const kissFft = await createKissFft()
const plan = kissFft._kiss_fftr_alloc(FRAME_SAMPLES, 0, 0, 0)
const inputPointer = kissFft._malloc(FRAME_SAMPLES * Float32Array.BYTES_PER_ELEMENT)
const outputPointer = kissFft._malloc(FREQUENCY_BINS * 2 * Float32Array.BYTES_PER_ELEMENT)
if (plan === 0 || inputPointer === 0 || outputPointer === 0) throw new Error('The Fourier transform is out of memory.')

/** Nothing else is allocated later, so the memory does not grow and the view stays valid. */
function viewFloats(pointer: number, count: number): Float32Array {
  const start = pointer / Float32Array.BYTES_PER_ELEMENT
  return kissFft.HEAPF32.subarray(start, start + count)
}

const input = viewFloats(inputPointer, FRAME_SAMPLES)
const spectrum = viewFloats(outputPointer, FREQUENCY_BINS * 2)

/** Writes the squared magnitude of each frequency of a frame. */
export function computePower(frame: Float64Array, power: Float64Array): void {
  input.set(frame)
  kissFft._kiss_fftr(plan, inputPointer, outputPointer)
  for (let bin = 0; bin < FREQUENCY_BINS; bin += 1) {
    const real = spectrum[2 * bin] as number
    const imaginary = spectrum[2 * bin + 1] as number
    power[bin] = real * real + imaginary * imaginary
  }
}
