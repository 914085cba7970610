/** Levels of samples. All levels are in decibels relative to full scale. */

const FULL_SCALE = 32_768
const WINDOW_MS = 20
/** Windows this far below the loudest window do not count as active. */
const ACTIVE_RANGE_DB = 30
const TRIM_RANGE_DB = 35

export const toGain = (db: number): number => 10 ** (db / 20)
const toDb = (gain: number): number => 20 * Math.log10(Math.max(gain, 1e-9))

/** Returns the level of a range of samples, or about -180 for silence. */
export function measureLevelDb(samples: Int16Array | Float32Array, from = 0, to = samples.length): number {
  let sum = 0
  for (let index = from; index < to; index += 1) sum += (samples[index] ?? 0) ** 2
  return toDb(Math.sqrt(sum / Math.max(1, to - from)) / FULL_SCALE)
}

/** Returns the level of the windows that contain sound. */
function measureActiveLevelDb(samples: Int16Array, rateHz: number): number {
  const windowSamples = (rateHz * WINDOW_MS) / 1_000
  const powers: number[] = []
  for (let start = 0; start + windowSamples <= samples.length; start += windowSamples) {
    powers.push(toGain(measureLevelDb(samples, start, start + windowSamples)) ** 2)
  }
  const threshold = Math.max(...powers) * toGain(-ACTIVE_RANGE_DB) ** 2
  const active = powers.filter((power) => power >= threshold)
  return toDb(Math.sqrt(active.reduce((sum, power) => sum + power, 0) / Math.max(1, active.length)))
}

/** Scales samples so that their active level is `db`. Peaks are limited to full scale. */
export function scaleToLevel(samples: Int16Array, db: number, rateHz = 16_000): Int16Array {
  return scale(samples, toGain(db - measureActiveLevelDb(samples, rateHz)))
}

export function scale(samples: Int16Array, gain: number): Int16Array {
  return samples.map((sample) => clip(sample * gain))
}

function clip(sample: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(sample)))
}

/** Removes the silence at both ends. */
export function trimSilence(samples: Int16Array, rateHz: number): Int16Array {
  const windowSamples = (rateHz * WINDOW_MS) / 2_000
  const levels: number[] = []
  for (let start = 0; start + windowSamples <= samples.length; start += windowSamples) {
    levels.push(measureLevelDb(samples, start, start + windowSamples))
  }
  const threshold = Math.max(...levels) - TRIM_RANGE_DB
  const first = levels.findIndex((level) => level >= threshold)
  const last = levels.findLastIndex((level) => level >= threshold)
  return first < 0 ? new Int16Array(0) : samples.slice(first * windowSamples, (last + 1) * windowSamples)
}

/** Adds `part` to `target` from a position on, multiplied by a gain. */
export function addSamples(target: Int16Array, part: Int16Array, position: number, gain = 1): void {
  const count = Math.min(part.length, target.length - position)
  for (let index = 0; index < count; index += 1) {
    target[position + index] = clip((target[position + index] ?? 0) + (part[index] ?? 0) * gain)
  }
}
