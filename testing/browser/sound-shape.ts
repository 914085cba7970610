/** A sine of this loudness (0 to 1), as 16-bit samples. */
export function toneSamples(frequencyHz: number, durationMs: number, rateHz: number, loudness = 0.5): Int16Array {
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1_000))
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = Math.round(Math.sin((2 * Math.PI * frequencyHz * index) / rateHz) * loudness * 32_767)
  }
  return samples
}

/**
 * Sound with the rhythm of speech: syllables of a buzz with overtones that come and go, so that a browser's clean-up takes it for
 * a voice.
 */
export function babbleSamples(durationMs: number, rateHz: number): Int16Array {
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1_000))
  for (let index = 0; index < samples.length; index += 1) {
    const seconds = index / rateHz
    const pitchHz = 140 + 25 * Math.sin(2 * Math.PI * 0.7 * seconds)
    let value = 0
    for (let overtone = 1; overtone <= 12; overtone += 1) {
      value += Math.sin(2 * Math.PI * pitchHz * overtone * seconds) / overtone
    }
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.5 * seconds))
    samples[index] = Math.round(value * syllable * 8_000)
  }
  return samples
}

/** A WAV file of one channel. */
export function wavFile(samples: Int16Array, rateHz: number): Buffer {
  const data = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rateHz, 24)
  head.writeUInt32LE(rateHz * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}

const STEP_MS = 5
const STEPS_PER_STRETCH = 10

/**
 * How alike the rise and fall of two sounds is, in stretches of 50 ms, where `heard` fits best into `spoken`: 1 for the same form,
 * about 0 for another.
 */
export function envelopeCorrelation(
  heard: { readonly samples: Int16Array; readonly rateHz: number },
  spoken: { readonly samples: Int16Array; readonly rateHz: number },
): number {
  const heardForm = stretches(powers(heard.samples, heard.rateHz), 0)
  const spokenPowers = powers(spoken.samples, spoken.rateHz)
  let best = -1
  for (let phase = 0; phase < STEPS_PER_STRETCH; phase += 1) {
    const spokenForm = stretches(spokenPowers, phase)
    for (let shift = 0; shift + heardForm.length <= spokenForm.length; shift += 1) {
      best = Math.max(best, correlation(heardForm, spokenForm.slice(shift, shift + heardForm.length)))
    }
  }
  return best
}

/** Mean power of each 5 ms. */
function powers(samples: Int16Array, rateHz: number): number[] {
  const length = (rateHz * STEP_MS) / 1_000
  const found: number[] = []
  for (let from = 0; from + length <= samples.length; from += length) {
    found.push(samples.subarray(from, from + length).reduce((sum, sample) => sum + sample ** 2, 0) / length)
  }
  return found
}

/** Loudness of each 50 ms (root of the mean square), from so many steps on. */
function stretches(stepPowers: readonly number[], phase: number): number[] {
  const found: number[] = []
  for (let from = phase; from + STEPS_PER_STRETCH <= stepPowers.length; from += STEPS_PER_STRETCH) {
    const sum = stepPowers.slice(from, from + STEPS_PER_STRETCH).reduce((total, power) => total + power, 0)
    found.push(Math.sqrt(sum / STEPS_PER_STRETCH))
  }
  return found
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length
  const [oneMean, otherMean] = [mean(one), mean(other)]
  let product = 0
  let oneSquare = 0
  let otherSquare = 0
  for (const [index, value] of one.entries()) {
    const left = value - oneMean
    const right = (other[index] ?? 0) - otherMean
    product += left * right
    oneSquare += left ** 2
    otherSquare += right ** 2
  }
  return oneSquare === 0 || otherSquare === 0 ? 0 : product / Math.sqrt(oneSquare * otherSquare)
}
