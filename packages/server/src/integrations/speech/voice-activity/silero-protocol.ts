import type { LegRateHz } from '@parley/engine/audio/frame'

/** Number of samples that the model processes at once: 32 ms. */
export function countWindowSamples(rateHz: LegRateHz): number {
  return rateHz === 16_000 ? 512 : 256
}

/** A window of one caller. */
export interface SileroWindow {
  readonly callerId: number
  readonly rateHz: LegRateHz
  /** Whether the model forgets the caller's earlier windows. */
  readonly isReset: boolean
  readonly samples: Int16Array
}

/** Windows of several callers. The windows of one caller are in order. */
export interface SileroBatch {
  /** For each window the caller's ID and the flags. */
  readonly headers: Int32Array
  /** The samples of all windows. */
  readonly samples: Int16Array
  /** Callers whose state is no longer needed. */
  readonly closedCallerIds: readonly number[]
}

/** One probability for each window of the batch, or the reason why the model cannot run. */
export type SileroResponse = { readonly probabilities: Float32Array } | { readonly failure: string }

const RESET_FLAG = 1
const WIDEBAND_FLAG = 2

export function encodeBatch(windows: readonly SileroWindow[], closedCallerIds: readonly number[]): SileroBatch {
  const headers = new Int32Array(windows.length * 2)
  const samples = new Int16Array(windows.reduce((sum, window) => sum + window.samples.length, 0))
  let offset = 0
  for (const [index, window] of windows.entries()) {
    headers[index * 2] = window.callerId
    headers[index * 2 + 1] = (window.isReset ? RESET_FLAG : 0) | (window.rateHz === 16_000 ? WIDEBAND_FLAG : 0)
    samples.set(window.samples, offset)
    offset += window.samples.length
  }
  return { headers, samples, closedCallerIds }
}

export function decodeWindows({ headers, samples }: SileroBatch): SileroWindow[] {
  const windows: SileroWindow[] = []
  let offset = 0
  for (let index = 0; index < headers.length; index += 2) {
    const flags = headers[index + 1] as number
    const rateHz = (flags & WIDEBAND_FLAG) === 0 ? 8_000 : 16_000
    const endOffset = offset + countWindowSamples(rateHz)
    const isReset = (flags & RESET_FLAG) !== 0
    windows.push({ callerId: headers[index] as number, rateHz, isReset, samples: samples.subarray(offset, endOffset) })
    offset = endOffset
  }
  return windows
}
