/** Duration of one step of the envelope. */
export const STEP_MS = 10

/** Level of each step in dB, below 1 kHz (`voice`) and above 2.5 kHz (`hiss`). */
export interface AudioEnvelope {
  append(samples: Int16Array): void
  readonly voice: readonly number[]
  readonly hiss: readonly number[]
}

export function createAudioEnvelope(rateHz: number): AudioEnvelope {
  const stepSamples = Math.round((rateHz * STEP_MS) / 1000)
  const getSmoothing = (hz: number): number => 1 - Math.exp((-2 * Math.PI * hz) / rateHz)
  const [voiceSmoothing, rumbleSmoothing, hissSmoothing] = [getSmoothing(1_000), getSmoothing(300), getSmoothing(2_500)]
  const voice: number[] = []
  const hiss: number[] = []
  // Keeps the filter state between chunks. The loop uses locals, because closure variables are far slower.
  const state = { voice1: 0, voice2: 0, rumble: 0, hiss1: 0, hiss2: 0, voicePower: 0, hissPower: 0, filledSamples: 0 }
  return {
    append(samples) {
      let { voice1, voice2, rumble, hiss1, hiss2, voicePower, hissPower, filledSamples } = state
      for (let index = 0; index < samples.length; index += 1) {
        const sample = samples[index] as number
        voice1 += voiceSmoothing * (sample - voice1)
        voice2 += voiceSmoothing * (voice1 - voice2)
        rumble += rumbleSmoothing * (voice2 - rumble)
        hiss1 += hissSmoothing * (sample - hiss1)
        hiss2 += hissSmoothing * (sample - hiss1 - hiss2)
        voicePower += (voice2 - rumble) ** 2
        hissPower += (sample - hiss1 - hiss2) ** 2
        filledSamples += 1
        if (filledSamples < stepSamples) continue
        voice.push(Math.round(10 * Math.log10(voicePower / stepSamples + 1)))
        hiss.push(Math.round(10 * Math.log10(hissPower / stepSamples + 1)))
        voicePower = 0
        hissPower = 0
        filledSamples = 0
      }
      Object.assign(state, { voice1, voice2, rumble, hiss1, hiss2, voicePower, hissPower, filledSamples })
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
/** Minimum rise of a peak above the valleys on both sides, and maximum distance below the loudest peak. */
const MIN_DIP_DB = 2
const PEAK_RANGE_DB = 25
const HISS_RANGE_DB = 30
const QUIET_RANGE_DB = 35

/** Derives alignment cues from an envelope. */
export function extractCues({ voice, hiss }: Pick<AudioEnvelope, 'voice' | 'hiss'>): AudioCues {
  const levels = smoothLevels(voice)
  const loudest = levels.reduce((max, level) => Math.max(max, level), 0)
  const syllables = new Float64Array(levels.length + 1)
  for (const peak of findPeaks(levels)) if ((levels[peak] ?? 0) > loudest - PEAK_RANGE_DB) syllables[peak + 1] = 1
  const hisses = new Float64Array(levels.length + 1)
  const quiet = new Float64Array(levels.length + 1)
  for (let step = 0; step < levels.length; step += 1) {
    const hissLevel = hiss[step] ?? 0
    const voiceLevel = voice[step] ?? 0
    const isHiss = hissLevel > voiceLevel && hissLevel > loudest - HISS_RANGE_DB
    const isQuiet = Math.max(hissLevel, voiceLevel) < loudest - QUIET_RANGE_DB
    syllables[step + 1] = (syllables[step + 1] ?? 0) + (syllables[step] ?? 0)
    hisses[step + 1] = (hisses[step] ?? 0) + (isHiss ? 1 : 0)
    quiet[step + 1] = isQuiet ? (quiet[step] ?? 0) + 1 : 0
  }
  return { syllables, hisses, quiet }
}

/** Smooths levels in both directions to avoid a phase shift. */
function smoothLevels(decibels: readonly number[]): Float64Array {
  const powers = Float64Array.from(decibels, (decibel) => 10 ** (decibel / 10))
  for (let step = 1; step < powers.length; step += 1) {
    const previousPower = powers[step - 1] ?? 0
    powers[step] = previousPower + SMOOTHING * ((powers[step] ?? 0) - previousPower)
  }
  let mean = 0
  for (let step = powers.length - 1; step >= 0; step -= 1) {
    mean += SMOOTHING * ((powers[step] ?? 0) - mean)
    powers[step] = 10 * Math.log10(mean + 1)
  }
  return powers
}

function findPeaks(levels: Float64Array): number[] {
  const peaks: number[] = []
  let isRising = true
  let extremeStep = 0
  for (let step = 0; step < levels.length; step += 1) {
    const change = (levels[step] ?? 0) - (levels[extremeStep] ?? 0)
    if (isRising ? change >= 0 : change <= 0) extremeStep = step
    else if (Math.abs(change) > MIN_DIP_DB) {
      if (isRising) peaks.push(extremeStep)
      isRising = !isRising
      extremeStep = step
    }
  }
  if (isRising && levels.length > 0) peaks.push(extremeStep)
  return peaks
}
