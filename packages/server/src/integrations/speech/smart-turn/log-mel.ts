import { computePower, FRAME_SAMPLES, FREQUENCY_BINS } from './power-spectrum.ts'

/** Sample rate and duration of the model's audio. */
export const MODEL_RATE_HZ = 16_000
export const MODEL_SAMPLES = 8 * MODEL_RATE_HZ
const HOP_SAMPLES = 160
export const MEL_FRAMES = MODEL_SAMPLES / HOP_SAMPLES
export const MEL_BANDS = 80

const FULL_SCALE = 32_768
/** Added to the variance, so that silence is not divided by zero. */
const MIN_VARIANCE = 1e-7
const MIN_POWER = 1e-10
/** Range below the loudest value, in powers of ten. */
const DYNAMIC_RANGE = 8

/** The scale of Slaney's auditory toolbox: linear below 1000 Hz (15 mel), then 27 mel for each factor of 6.4. */
const LINEAR_HZ_PER_MEL = 200 / 3
const LOG_START = { hz: 1_000, mel: 15 }
const LOG_STEP = Math.log(6.4) / 27
const MAX_HZ = MODEL_RATE_HZ / 2

function toHz(mel: number): number {
  return mel < LOG_START.mel ? mel * LINEAR_HZ_PER_MEL : LOG_START.hz * Math.exp((mel - LOG_START.mel) * LOG_STEP)
}

const MAX_MEL = LOG_START.mel + Math.log(MAX_HZ / LOG_START.hz) / LOG_STEP

/** A triangular filter of equal area: weights of consecutive frequency bins. */
interface MelFilter {
  readonly firstBin: number
  readonly weights: Float64Array
}

const MEL_FILTERS: readonly MelFilter[] = Array.from({ length: MEL_BANDS }, (_, band) => createMelFilter(band))

function createMelFilter(band: number): MelFilter {
  const [lowHz = 0, centerHz = 0, highHz = 0] = [0, 1, 2].map((edge) =>
    toHz(((band + edge) * MAX_MEL) / (MEL_BANDS + 1)),
  )
  const weights: number[] = []
  let firstBin = 0
  for (let bin = 0; bin < FREQUENCY_BINS; bin += 1) {
    const hz = (bin * MODEL_RATE_HZ) / FRAME_SAMPLES
    const height = Math.min((hz - lowHz) / (centerHz - lowHz), (highHz - hz) / (highHz - centerHz))
    if (height <= 0) continue
    if (weights.length === 0) firstBin = bin
    weights.push((height * 2) / (highHz - lowHz))
  }
  return { firstBin, weights: Float64Array.from(weights) }
}

/** A periodic Hann window. */
const WINDOW = Float64Array.from({ length: FRAME_SAMPLES }, (_, index) => {
  return 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / FRAME_SAMPLES)
})

/**
 * Computes Whisper's features, a logarithmic mel spectrogram, of the last 8 s of 16 kHz audio. Silence precedes shorter audio. The
 * result has `MEL_BANDS` rows of `MEL_FRAMES` values, from -1.5 to about 2. Takes about 10 ms.
 */
export function computeLogMel(samples: Int16Array): Float32Array<ArrayBuffer> {
  const audio = padWithReflections(normalize(samples))
  const features = computePowers(audio)
  let largest = -Infinity
  for (let index = 0; index < features.length; index += 1) {
    const value = Math.log10(Math.max(MIN_POWER, features[index] as number))
    features[index] = value
    if (value > largest) largest = value
  }
  const floor = largest - DYNAMIC_RANGE
  for (let index = 0; index < features.length; index += 1)
    features[index] = (Math.max(floor, features[index] as number) + 4) / 4
  return features
}

/** Returns the last 8 s with a mean of 0 and a variance of 1, including the preceding silence. */
function normalize(samples: Int16Array): Float64Array {
  const audio = new Float64Array(MODEL_SAMPLES)
  const recent = samples.subarray(-MODEL_SAMPLES)
  for (let index = 0, target = MODEL_SAMPLES - recent.length; index < recent.length; index += 1, target += 1)
    audio[target] = (recent[index] as number) / FULL_SCALE
  let sum = 0
  for (let index = 0; index < MODEL_SAMPLES; index += 1) sum += audio[index] as number
  const mean = sum / MODEL_SAMPLES
  let squares = 0
  for (let index = 0; index < MODEL_SAMPLES; index += 1) squares += ((audio[index] as number) - mean) ** 2
  const scale = 1 / Math.sqrt(squares / MODEL_SAMPLES + MIN_VARIANCE)
  for (let index = 0; index < MODEL_SAMPLES; index += 1) audio[index] = ((audio[index] as number) - mean) * scale
  return audio
}

/** Adds half a frame of mirrored audio at both ends, so that frames are centered at multiples of the hop. */
function padWithReflections(audio: Float64Array): Float64Array {
  const margin = FRAME_SAMPLES / 2
  const padded = new Float64Array(audio.length + 2 * margin)
  padded.set(audio, margin)
  for (let distance = 1; distance <= margin; distance += 1) {
    padded[margin - distance] = audio[distance] as number
    padded[margin + audio.length - 1 + distance] = audio[audio.length - 1 - distance] as number
  }
  return padded
}

/** Returns the power of each band in each frame. */
function computePowers(audio: Float64Array): Float32Array<ArrayBuffer> {
  const powers = new Float32Array(MEL_BANDS * MEL_FRAMES)
  const windowed = new Float64Array(FRAME_SAMPLES)
  const power = new Float64Array(FREQUENCY_BINS)
  for (let frame = 0; frame < MEL_FRAMES; frame += 1) {
    const start = frame * HOP_SAMPLES
    for (let index = 0; index < FRAME_SAMPLES; index += 1)
      windowed[index] = (audio[start + index] as number) * (WINDOW[index] as number)
    computePower(windowed, power)
    for (const [band, filter] of MEL_FILTERS.entries()) powers[band * MEL_FRAMES + frame] = applyFilter(filter, power)
  }
  return powers
}

function applyFilter({ firstBin, weights }: MelFilter, power: Float64Array): number {
  let sum = 0
  for (let index = 0; index < weights.length; index += 1)
    sum += (weights[index] as number) * (power[firstBin + index] as number)
  return sum
}
