import { seededRandom } from '../seeded-random.ts'
import type { SoundSource } from './sound-source.ts'

const FULL_SCALE = 32_767

/** Crossfade from the end of a loop to its start; a shorter one would be noticeable in wind. */
const SEAM_MS = 1_500
const PERIODIC_SEAM_MS = 60

export interface SoundLoopOptions {
  readonly rateHz: number
  readonly durationMs: number
  readonly seed: number
  /** The source repeats after this duration, as music does. */
  readonly isPeriodic: boolean
}

/** A stretch of endless sound that repeats, shared by all calls that play it. */
export interface SoundLoop {
  /** Adds samples from `position` on, scaled by `gain`, and returns the next position. */
  addTo(target: Float32Array, position: number, gain: number): number
  /** A random start within the rendered part; music starts at 0. */
  startPosition(random: () => number): number
}

/**
 * Renders a loop slightly ahead of playback when it is first heard, then reads it from memory. The audio behind its end
 * is crossfaded into its start.
 */
export function createSoundLoop(
  source: SoundSource,
  { rateHz, durationMs, seed, isPeriodic }: SoundLoopOptions,
): SoundLoop {
  const seamMs = isPeriodic ? PERIODIC_SEAM_MS : SEAM_MS
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1000))
  const seam = Math.min(samples.length >> 1, Math.round((rateHz * seamMs) / 1000))
  const total = samples.length + seam
  let next: (() => number) | null = source(rateHz, seededRandom(seed))
  let rendered = 0
  /** Furthest position that any call has played. */
  let heard = 0

  /** Rendering the seam at once would block all calls, so it is spread over the playback. */
  function renderFor(position: number): void {
    if (next === null || position <= heard) return
    heard = Math.min(samples.length, position)
    const to = Math.ceil((heard * total) / samples.length)
    for (; rendered < to && rendered < samples.length; rendered += 1) samples[rendered] = quantize(next())
    for (; rendered < to; rendered += 1) fadeOver(rendered - samples.length, next())
    if (rendered >= total) next = null
  }

  function fadeOver(index: number, ending: number): void {
    const share = (index + 0.5) / seam
    // Different signals need equal-power crossfades, identical ones equal-amplitude.
    const fadeOutGain = isPeriodic ? 1 - share : Math.cos((share * Math.PI) / 2)
    const fadeInGain = isPeriodic ? share : Math.sin((share * Math.PI) / 2)
    samples[index] = quantize(fadeOutGain * ending + (fadeInGain * (samples[index] as number)) / FULL_SCALE)
  }

  return {
    addTo(target, position, gain) {
      renderFor(position + target.length)
      let at = position % samples.length
      for (let index = 0; index < target.length; index += 1) {
        target[index] = (target[index] as number) + gain * (samples[at] as number)
        at += 1
        if (at === samples.length) at = 0
      }
      return at
    },
    startPosition(random) {
      if (isPeriodic) return 0
      // A call that started within the seam could hear the crossfade point.
      const first = next !== null && heard > 2 * seam ? seam : 0
      return first + Math.floor(random() * ((next === null ? samples.length : heard) - first))
    },
  }
}

function quantize(value: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE, Math.round(value * FULL_SCALE)))
}
