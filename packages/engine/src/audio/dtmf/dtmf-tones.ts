/** Row and column frequencies of DTMF keys (ITU-T Q.23), in Hz. */
export const ROW_HZ = [697, 770, 852, 941] as const
export const COLUMN_HZ = [1209, 1336, 1477, 1633] as const

const KEYS = ['123A', '456B', '789C', '*0#D']

/** The key at a row and a column, counted from 0. */
export function keyAt(row: number, column: number): string {
  return KEYS[row]?.[column] ?? ''
}

/** Fade at both ends that prevents clicks. */
const EDGE_MS = 4

export interface DtmfToneOptions {
  readonly rateHz: number
  readonly durationMs: number
  /** Amplitude of each of both tones; defaults to 5000. */
  readonly amplitude?: number
}

/** The tone of a key (0 to 9, `*`, `#`, A to D); silence for anything else. */
export function dtmfTone(key: string, options: DtmfToneOptions): Int16Array {
  const { rateHz, durationMs, amplitude = 5_000 } = options
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1000))
  const row = key.length === 1 ? KEYS.findIndex((keys) => keys.includes(key)) : -1
  const rowHz = ROW_HZ[row]
  const columnHz = COLUMN_HZ[KEYS[row]?.indexOf(key) ?? -1]
  if (rowHz === undefined || columnHz === undefined) return samples
  const edge = (rateHz * EDGE_MS) / 1000
  for (let index = 0; index < samples.length; index += 1) {
    const turn = (2 * Math.PI * index) / rateHz
    const rounding = Math.min(1, (index + 1) / edge, (samples.length - index) / edge)
    samples[index] = Math.round(amplitude * rounding * (Math.sin(turn * rowHz) + Math.sin(turn * columnHz)))
  }
  return samples
}
