import { seededRandom } from '../seeded-random.ts'
import type { SoundSource } from './sound-source.ts'

const FULL_SCALE = 32_767

/** The end of a loop runs into its beginning over so long: wind that suddenly falls would be noticed. */
const SEAM_MS = 1_500
const PERIODIC_SEAM_MS = 60

export interface SoundLoopOptions {
  readonly rateHz: number
  readonly durationMs: number
  readonly seed: number
  /** The source itself comes round after this time, as music does. */
  readonly isPeriodic: boolean
}

/** A stretch of endless sound that comes round again and again. Shared by all who play it. */
export interface SoundLoop {
  /** Adds `gain` times what stands at `position` to samples, and answers the position behind it. */
  addTo(target: Float32Array, position: number, gain: number): number
  /** A position to begin at: anywhere in what is there already, but music at its beginning. */
  startPosition(random: () => number): number
}

/**
 * Rendered while it is heard for the first time, a little faster than it is heard, so that nobody waits for it; from then on it
 * only has to be read. What comes after its end is rendered as well and faded over into its beginning: that is its seam.
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
  /** Nobody has heard anything behind this. */
  let heard = 0

  /** The seam is ready by the time the end is heard; rendering it at once would hold up all calls. */
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
    // Where both sides are different sound equal power keeps their loudness, where they are the same equal amplitude does.
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
      // Whoever began within the seam might hear the place to which it is faded over.
      const first = next !== null && heard > 2 * seam ? seam : 0
      return first + Math.floor(random() * ((next === null ? samples.length : heard) - first))
    },
  }
}

function quantize(value: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE, Math.round(value * FULL_SCALE)))
}
