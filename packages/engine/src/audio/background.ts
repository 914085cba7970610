import { partsOf } from './ambient/background-sounds.ts'
import { createSoundLoop, type SoundLoop } from './ambient/sound-loop.ts'
import { seededRandom } from './seeded-random.ts'

/** Endless sound beside speech, for one call. */
export interface Background {
  /** Adds the next samples, `gain` times as loud as they are. */
  addTo(target: Float32Array, gain: number): void
}

/** Loops of all sounds that were ever played, by name and rate: they are the same for everybody. */
const loops = new Map<string, readonly SoundLoop[]>()

/**
 * The sound of this name: one of the setting `ambient_sound`, `typing`, or a music on hold; `null` for `none` and names that are not
 * known. `seed`: where in it a call begins. Its parts come round after different times, so that the whole does not repeat.
 */
export function createBackground(name: string, options: { rateHz: number; seed: number }): Background | null {
  const { rateHz, seed } = options
  const parts = loopsOf(name, rateHz)
  if (parts === null) return null
  const random = seededRandom(seed)
  const positions = parts.map((part) => part.startPosition(random))
  return {
    addTo(target, gain) {
      for (const [index, loop] of parts.entries()) positions[index] = loop.addTo(target, positions[index] ?? 0, gain)
    },
  }
}

function loopsOf(name: string, rateHz: number): readonly SoundLoop[] | null {
  const key = `${name}:${rateHz}`
  const known = loops.get(key)
  if (known !== undefined) return known
  const parts = partsOf(name)
  if (parts === null) return null
  const made = parts.map(({ source, durationMs, isPeriodic = false }, index) =>
    createSoundLoop(source, { rateHz, durationMs, isPeriodic, seed: index * 7_919 + name.length }),
  )
  loops.set(key, made)
  return made
}
