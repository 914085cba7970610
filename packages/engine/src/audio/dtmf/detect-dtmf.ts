import { COLUMN_HZ, keyAt, ROW_HZ } from './dtmf-tones.ts'

/** Sound is looked at in windows of 20 ms, every 10 ms. */
const WINDOW_MS = 20
const HOP_MS = 10

/** Two windows are 30 ms: a tone of 40 ms always fills two of them, one of 20 ms never does. */
const WINDOWS_TO_START = 2
const WINDOWS_TO_END = 2

/** Mean power of the weakest tone that counts: -42 dB below full scale. */
const MIN_TONE_POWER = 32_768 ** 2 * 10 ** -4.2

/** One tone may be stronger than the other by 8 dB. */
const MAX_TWIST = 10 ** 0.8
/** The tone of a row stands out of those of the other rows by 6 dB. */
const MIN_DOMINANCE = 4
/** Both tones together are nearly all that there is; voices spread over many frequencies. */
const MIN_COARSE_PURITY = 0.35
const MIN_PURITY = 0.78
/** Voices have overtones. */
const MAX_OVERTONE = 0.06
/** Keys may be out of tune by 1.5 %: looked for at these places beside the right one. */
const DETUNING_FACTORS = [0.988, 1.012]
/** An overtone this near to the other tone cannot be told from it. */
const MIN_OVERTONE_DISTANCE_HZ = 110

/** Hears keys of a telephone in sound. */
export interface DtmfDetector {
  /** The next samples, of any number. Answers the keys in their order, `''` for none; each once, 30 to 50 ms after it was pressed. */
  push(samples: Int16Array): string
}

/** Looks for both tones with Goertzel filters. Costs nearly nothing while it is quiet. */
export function createDtmfDetector(options: { rateHz: number }): DtmfDetector {
  const { rateHz } = options
  const size = (rateHz * WINDOW_MS) / 1000
  const hop = (rateHz * HOP_MS) / 1000
  const window = new Float64Array(size)
  let filled = 0
  let candidate = ''
  let candidateWindows = 0
  let pressed = ''
  let absentWindows = 0

  /** The key that begins with this window; `''`: none. */
  function decide(key: string): string {
    absentWindows = key === pressed ? 0 : absentWindows + 1
    if (absentWindows >= WINDOWS_TO_END) pressed = ''
    candidateWindows = key === candidate ? candidateWindows + 1 : 1
    candidate = key
    if (key === '' || key === pressed || candidateWindows < WINDOWS_TO_START) return ''
    pressed = key
    absentWindows = 0
    return key
  }

  return {
    push(samples) {
      let keys = ''
      for (let index = 0; index < samples.length; index += 1) {
        window[filled] = samples[index] as number
        filled += 1
        if (filled < size) continue
        keys += decide(detectKey(window, rateHz))
        window.copyWithin(0, hop)
        filled = size - hop
      }
      return keys
    },
  }
}

/** The key whose tones fill a window; `''`: none. */
function detectKey(window: Float64Array, rateHz: number): string {
  let power = 0
  for (let index = 0; index < window.length; index += 1) power += (window[index] as number) ** 2
  power /= window.length
  if (power < MIN_TONE_POWER) return ''
  const row = strongest(window, ROW_HZ, rateHz)
  const column = strongest(window, COLUMN_HZ, rateHz)
  if (row === null || column === null || row.power + column.power < MIN_COARSE_PURITY * power) return ''
  const rowPower = tunedPower(window, row, rateHz)
  const columnPower = tunedPower(window, column, rateHz)
  if (rowPower > columnPower * MAX_TWIST || columnPower > rowPower * MAX_TWIST) return ''
  if (rowPower + columnPower < MIN_PURITY * power) return ''
  const hasOvertone = [row, column].some((tone) => {
    const overtoneHz = 2 * tone.hz
    if (Math.abs(overtoneHz - column.hz) < MIN_OVERTONE_DISTANCE_HZ) return false
    return powerAt(window, overtoneHz, rateHz) > MAX_OVERTONE * tone.power
  })
  return hasOvertone ? '' : keyAt(row.index, column.index)
}

interface Tone {
  readonly index: number
  readonly hz: number
  readonly power: number
}

/** The tone that stands out of its group, if one does. */
function strongest(window: Float64Array, group: readonly number[], rateHz: number): Tone | null {
  let best: Tone = { index: 0, hz: 0, power: 0 }
  let second = 0
  for (const [index, hz] of group.entries()) {
    const power = powerAt(window, hz, rateHz)
    if (power > best.power) {
      second = best.power
      best = { index, hz, power }
    } else if (power > second) second = power
  }
  return best.power > second * MIN_DOMINANCE ? best : null
}

function tunedPower(window: Float64Array, tone: Tone, rateHz: number): number {
  return Math.max(tone.power, ...DETUNING_FACTORS.map((factor) => powerAt(window, tone.hz * factor, rateHz)))
}

/** Mean power of one frequency in a window (Goertzel). */
function powerAt(window: Float64Array, hz: number, rateHz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hz) / rateHz)
  let last = 0
  let secondLast = 0
  for (let index = 0; index < window.length; index += 1) {
    const next = (window[index] as number) + factor * last - secondLast
    secondLast = last
    last = next
  }
  return (2 * (last * last + secondLast * secondLast - factor * last * secondLast)) / (window.length * window.length)
}
