/** Creates a sine of the given loudness (0 to 1) as 16-bit samples. */
export function createTone(frequencyHz: number, durationMs: number, rateHz: number, loudness = 0.5): Int16Array {
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1_000))
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = Math.round(Math.sin((2 * Math.PI * frequencyHz * index) / rateHz) * loudness * 32_767)
  }
  return samples
}

/**
 * Creates audio with the rhythm of speech: vowels of changing pitch and timbre that fade in and out, so that voice detection and
 * a browser's audio processing treat it as a voice.
 */
export function createBabble(durationMs: number, rateHz: number): Int16Array {
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1_000))
  let phase = 0
  for (let index = 0; index < samples.length; index += 1) {
    const seconds = index / rateHz
    const pitchHz = 120 + 20 * Math.sin(2 * Math.PI * 3 * seconds)
    phase += pitchHz / rateHz
    const openness = (Math.sin(2 * Math.PI * 4 * seconds) + 1) / 2
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.5 * seconds)) ** 0.5
    samples[index] = Math.round(6_000 * syllable * renderVowel({ phase, pitchHz, openness, maxHz: rateHz / 2 }))
  }
  return samples
}

interface Vowel {
  /** Position in the pitch period. */
  readonly phase: number
  readonly pitchHz: number
  /** From 0 for a closed vowel to 1 for an open vowel. */
  readonly openness: number
  readonly maxHz: number
}

/** Returns a sample of a vowel with three formants. */
export function renderVowel({ phase, pitchHz, openness, maxHz }: Vowel): number {
  let value = 0
  for (let harmonic = 1; harmonic * pitchHz < Math.min(3_400, maxHz); harmonic += 1) {
    const hz = harmonic * pitchHz
    const first = 1 / (1 + ((hz - 350 - 450 * openness) / 90) ** 2)
    const second = 0.6 / (1 + ((hz - 2_000 + 900 * openness) / 120) ** 2)
    const third = 0.3 / (1 + ((hz - 2_600) / 160) ** 2)
    value += ((first + second + third) / harmonic ** 0.3) * Math.sin(2 * Math.PI * harmonic * phase)
  }
  return value
}
