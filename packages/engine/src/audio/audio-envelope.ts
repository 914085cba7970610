/** Duration of one step of the envelope. */
export const STEP_MS = 10

/** Level of each step in dB, below 1 kHz (`voice`) and above 2.5 kHz (`hiss`). */
export interface AudioEnvelope {
  append(samples: Int16Array): void
  readonly voice: readonly number[]
  readonly hiss: readonly number[]
}

/** Computes the envelope of a stream of samples. */
export function createAudioEnvelope(rateHz: number): AudioEnvelope {
  const size = Math.round((rateHz * STEP_MS) / 1000)
  const shareOf = (hz: number): number => 1 - Math.exp((-2 * Math.PI * hz) / rateHz)
  const [upper, lower, edge] = [shareOf(1_000), shareOf(300), shareOf(2_500)]
  const voice: number[] = []
  const hiss: number[] = []
  // Filter state between chunks. The inner loop uses locals, because closure variables are far slower.
  const kept = { once: 0, twice: 0, deep: 0, dull: 0, duller: 0, voicePower: 0, hissPower: 0, filled: 0 }
  return {
    append(samples) {
      let { once, twice, deep, dull, duller, voicePower, hissPower, filled } = kept
      for (let index = 0; index < samples.length; index += 1) {
        const sample = samples[index] as number
        once += upper * (sample - once)
        twice += upper * (once - twice)
        deep += lower * (twice - deep)
        dull += edge * (sample - dull)
        duller += edge * (sample - dull - duller)
        voicePower += (twice - deep) ** 2
        hissPower += (sample - dull - duller) ** 2
        filled += 1
        if (filled < size) continue
        voice.push(Math.round(10 * Math.log10(voicePower / size + 1)))
        hiss.push(Math.round(10 * Math.log10(hissPower / size + 1)))
        voicePower = 0
        hissPower = 0
        filled = 0
      }
      Object.assign(kept, { once, twice, deep, dull, duller, voicePower, hissPower, filled })
    },
    voice,
    hiss,
  }
}

/** Cumulative cues at the end of each step. Index 0 precedes the first step. */
export interface AudioCues {
  /** Number of loudness peaks so far, most of them vowels of syllables. */
  readonly syllables: Float64Array
  /** Number of hissing steps so far. */
  readonly hisses: Float64Array
  /** Number of consecutive quiet steps. */
  readonly quiet: Float64Array
}

const SMOOTHING = 0.5
/** Limits of a peak: its rise above the valleys on both sides, and its distance below the loudest peak. */
const MIN_DIP_DB = 2
const PEAK_RANGE_DB = 25
const HISS_RANGE_DB = 30
const QUIET_RANGE_DB = 35

/** Derives alignment cues from an envelope. */
export function extractCues({ voice, hiss }: Pick<AudioEnvelope, 'voice' | 'hiss'>): AudioCues {
  const level = smooth(voice)
  const loudest = level.reduce((max, one) => Math.max(max, one), 0)
  const syllables = new Float64Array(level.length + 1)
  for (const peak of findPeaks(level)) if ((level[peak] ?? 0) > loudest - PEAK_RANGE_DB) syllables[peak + 1] = 1
  const hisses = new Float64Array(level.length + 1)
  const quiet = new Float64Array(level.length + 1)
  for (let step = 0; step < level.length; step += 1) {
    const hissing = hiss[step] ?? 0
    const voiced = voice[step] ?? 0
    const isHiss = hissing > voiced && hissing > loudest - HISS_RANGE_DB
    const isQuiet = Math.max(hissing, voiced) < loudest - QUIET_RANGE_DB
    syllables[step + 1] = (syllables[step + 1] ?? 0) + (syllables[step] ?? 0)
    hisses[step + 1] = (hisses[step] ?? 0) + (isHiss ? 1 : 0)
    quiet[step + 1] = isQuiet ? (quiet[step] ?? 0) + 1 : 0
  }
  return { syllables, hisses, quiet }
}

/** Smooths levels in both directions to avoid a phase shift. */
function smooth(decibels: readonly number[]): Float64Array {
  const level = Float64Array.from(decibels, (one) => 10 ** (one / 10))
  for (let step = 1; step < level.length; step += 1) {
    const before = level[step - 1] ?? 0
    level[step] = before + SMOOTHING * ((level[step] ?? 0) - before)
  }
  let mean = 0
  for (let step = level.length - 1; step >= 0; step -= 1) {
    mean += SMOOTHING * ((level[step] ?? 0) - mean)
    level[step] = 10 * Math.log10(mean + 1)
  }
  return level
}

function findPeaks(level: Float64Array): number[] {
  const peaks: number[] = []
  let isRising = true
  let turn = 0
  for (let step = 0; step < level.length; step += 1) {
    const change = (level[step] ?? 0) - (level[turn] ?? 0)
    if (isRising ? change >= 0 : change <= 0) turn = step
    else if (Math.abs(change) > MIN_DIP_DB) {
      if (isRising) peaks.push(turn)
      isRising = !isRising
      turn = step
    }
  }
  if (isRising && level.length > 0) peaks.push(turn)
  return peaks
}
