import { partsOf } from './ambient/background-sounds.ts'
import { createSoundLoop, type SoundLoop } from './ambient/sound-loop.ts'
import { seededRandom } from './seeded-random.ts'

/** Endless background sound of one call. */
export interface Background {
  /** Adds the next samples, scaled by `gain`. */
  addTo(target: Float32Array, gain: number): void
}

/** Rendered loops by name and rate, shared by all calls. */
const loops = new Map<string, readonly SoundLoop[]>()

/**
 * Background sound by name (`ambient_sound`, `typing` or hold music); `null` for `none` and unknown names. `seed`
 * selects the start position.
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
