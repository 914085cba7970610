/** Row and column frequencies of DTMF keys (ITU-T Q.23), in Hz. */
export const ROW_HZ = [697, 770, 852, 941] as const
export const COLUMN_HZ = [1209, 1336, 1477, 1633] as const

const KEYS = ['123A', '456B', '789C', '*0#D']

/** Returns the key at a row and a column, counted from 0. */
function getKeyAt(row: number, column: number): string {
  return KEYS[row]?.[column] ?? ''
}

/** Duration of the fade at both ends, which prevents clicks. */
const FADE_MS = 4

interface DtmfToneOptions {
  readonly rateHz: number
  readonly durationMs: number
  /** Amplitude of each of the two tones, 5000 by default. */
  readonly amplitude?: number
}

/** Creates the tone of a key (0 to 9, `*`, `#`, A to D), or silence for any other text. */
export function createDtmfTone(key: string, options: DtmfToneOptions): Int16Array {
  const { rateHz, durationMs, amplitude = 5_000 } = options
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1000))
  const row = key.length === 1 ? KEYS.findIndex((keys) => keys.includes(key)) : -1
  const rowHz = ROW_HZ[row]
  const columnHz = COLUMN_HZ[KEYS[row]?.indexOf(key) ?? -1]
  if (rowHz === undefined || columnHz === undefined) return samples
  const fadeSamples = (rateHz * FADE_MS) / 1000
  for (let index = 0; index < samples.length; index += 1) {
    const angularTime = (2 * Math.PI * index) / rateHz
    const fade = Math.min(1, (index + 1) / fadeSamples, (samples.length - index) / fadeSamples)
    samples[index] = Math.round(amplitude * fade * (Math.sin(angularTime * rowHz) + Math.sin(angularTime * columnHz)))
  }
  return samples
}

/** Length of the analysis window, and the hop between windows. */
const WINDOW_MS = 20
const HOP_MS = 10

/** Number of consecutive windows that confirm a key press. Two windows span 30 ms, longer than a 20 ms tone but shorter than 40 ms. */
const WINDOWS_TO_START = 2
const WINDOWS_TO_END = 2

/** Minimum mean tone power: -42 dB below full scale. */
const MIN_TONE_POWER = 32_768 ** 2 * 10 ** -4.2

/** Maximum level difference between the two tones: 8 dB. */
const MAX_TWIST = 10 ** 0.8
/** Minimum power ratio of a row's or column's tone to the second strongest tone in its group: 6 dB. */
const MIN_DOMINANCE = 4
/** Minimum share of both tones in the total power. Speech spreads over more frequencies. */
const MIN_COARSE_PURITY = 0.35
const MIN_PURITY = 0.78
/** Maximum overtone power. Speech has overtones, but DTMF tones do not. */
const MAX_OVERTONE = 0.06
/** Factors for detuned measurements, because tones may deviate by 1.5 %. */
const DETUNING_FACTORS = [0.988, 1.012]
/** Minimum distance between an overtone and the other tone. Closer frequencies cannot be separated. */
const MIN_OVERTONE_DISTANCE_HZ = 110

/** Creates a detector that finds DTMF tones with Goertzel filters and skips quiet audio. */
export function createDtmfDetector(options: { rateHz: number }) {
  const { rateHz } = options
  const windowSamples = (rateHz * WINDOW_MS) / 1000
  const hopSamples = (rateHz * HOP_MS) / 1000
  const window = new Float64Array(windowSamples)
  let filledSamples = 0
  let candidateKey = ''
  let candidateWindows = 0
  let pressedKey = ''
  let absentWindows = 0

  /** Returns the key if this window completes its detection, otherwise `''`. */
  function confirmKey(key: string): string {
    absentWindows = key === pressedKey ? 0 : absentWindows + 1
    if (absentWindows >= WINDOWS_TO_END) pressedKey = ''
    candidateWindows = key === candidateKey ? candidateWindows + 1 : 1
    candidateKey = key
    if (key === '' || key === pressedKey || candidateWindows < WINDOWS_TO_START) return ''
    pressedKey = key
    absentWindows = 0
    return key
  }

  return {
    /** Returns the newly detected keys, or `''` if there are none. Each key is returned once, 30 to 50 ms after it was pressed. */
    push(samples: Int16Array): string {
      let keys = ''
      for (let index = 0; index < samples.length; index += 1) {
        window[filledSamples] = samples[index] as number
        filledSamples += 1
        if (filledSamples < windowSamples) continue
        keys += confirmKey(detectKey(window, rateHz))
        window.copyWithin(0, hopSamples)
        filledSamples = windowSamples - hopSamples
      }
      return keys
    },
  }
}

/** Returns the key whose two tones dominate the window, or `''` if there is none. */
function detectKey(window: Float64Array, rateHz: number): string {
  let power = 0
  for (let index = 0; index < window.length; index += 1) power += (window[index] as number) ** 2
  power /= window.length
  if (power < MIN_TONE_POWER) return ''
  const row = findStrongestTone(window, ROW_HZ, rateHz)
  const column = findStrongestTone(window, COLUMN_HZ, rateHz)
  if (row === null || column === null || row.power + column.power < MIN_COARSE_PURITY * power) return ''
  const rowPower = computeTunedPower(window, row, rateHz)
  const columnPower = computeTunedPower(window, column, rateHz)
  if (rowPower > columnPower * MAX_TWIST || columnPower > rowPower * MAX_TWIST) return ''
  if (rowPower + columnPower < MIN_PURITY * power) return ''
  const hasOvertone = [row, column].some((tone) => {
    const overtoneHz = 2 * tone.hz
    if (Math.abs(overtoneHz - column.hz) < MIN_OVERTONE_DISTANCE_HZ) return false
    return computePower(window, overtoneHz, rateHz) > MAX_OVERTONE * tone.power
  })
  return hasOvertone ? '' : getKeyAt(row.index, column.index)
}

interface Tone {
  readonly index: number
  readonly hz: number
  readonly power: number
}

/** Returns the strongest tone of a frequency group, or `null` if none dominates. */
function findStrongestTone(window: Float64Array, group: readonly number[], rateHz: number): Tone | null {
  let strongestTone: Tone = { index: 0, hz: 0, power: 0 }
  let secondPower = 0
  for (const [index, hz] of group.entries()) {
    const power = computePower(window, hz, rateHz)
    if (power > strongestTone.power) {
      secondPower = strongestTone.power
      strongestTone = { index, hz, power }
    } else if (power > secondPower) secondPower = power
  }
  return strongestTone.power > secondPower * MIN_DOMINANCE ? strongestTone : null
}

function computeTunedPower(window: Float64Array, tone: Tone, rateHz: number): number {
  return Math.max(tone.power, ...DETUNING_FACTORS.map((factor) => computePower(window, tone.hz * factor, rateHz)))
}

/** Computes a frequency's mean power in a window with a Goertzel filter. */
function computePower(window: Float64Array, hz: number, rateHz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / rateHz)
  let previousState = 0
  let earlierState = 0
  for (let index = 0; index < window.length; index += 1) {
    const state = (window[index] as number) + factor * previousState - earlierState
    earlierState = previousState
    previousState = state
  }
  return (
    (2 * (previousState * previousState + earlierState * earlierState - factor * previousState * earlierState)) /
    (window.length * window.length)
  )
}
