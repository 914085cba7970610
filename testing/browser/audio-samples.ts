/** Creates a sine of the given loudness (0 to 1) as 16-bit samples. */
export function createTone(frequencyHz: number, durationMs: number, rateHz: number, loudness = 0.5): Int16Array {
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1_000))
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = Math.round(Math.sin((2 * Math.PI * frequencyHz * index) / rateHz) * loudness * 32_767)
  }
  return samples
}

/**
 * Creates audio with the rhythm of speech: syllables of a buzz with overtones that fade in and out, so that a browser's audio
 * processing treats it as a voice.
 */
export function createBabble(durationMs: number, rateHz: number): Int16Array {
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
