import { createSeededRandom } from '../seeded-random.ts'
import { type MusicName, musicParts } from './hold-music.ts'
import {
  createBirds,
  createCrackle,
  createCrickets,
  createCups,
  createDeskPhones,
  createHiss,
  createMurmur,
  createRumble,
  createTyping,
  createWind,
  type SoundPart,
  type SoundSource,
} from './sound-effects.ts'

const AMBIENT_PARTS = {
  'coffee-shop': [
    { source: createMurmur({ voices: 5, gain: 0.09, cutoffHz: 1_900 }), durationMs: 11_300 },
    { source: createMurmur({ voices: 3, gain: 0.08, cutoffHz: 2_600 }), durationMs: 8_700 },
    { source: createCups(0.06, 900), durationMs: 13_900 },
    { source: createRumble(0.04, 300), durationMs: 6_100 },
  ],
  'convention-hall': [
    { source: createMurmur({ voices: 9, gain: 0.055, cutoffHz: 1_300 }), durationMs: 12_700 },
    { source: createMurmur({ voices: 6, gain: 0.05, cutoffHz: 900 }), durationMs: 9_100 },
    { source: createRumble(0.06, 220), durationMs: 7_300 },
  ],
  'summer-outdoor': [
    { source: createBirds(0.07, 1_100), durationMs: 13_300 },
    { source: createBirds(0.035, 700), durationMs: 10_100 },
    { source: createCrickets(0.02), durationMs: 8_900 },
    { source: createRumble(0.03, 400), durationMs: 7_100 },
  ],
  'mountain-outdoor': [
    { source: createWind(0.085), durationMs: 17_300 },
    { source: createWind(0.06), durationMs: 11_900 },
    { source: createBirds(0.015, 6_000), durationMs: 19_100 },
  ],
  'static-noise': [
    { source: createHiss(0.04), durationMs: 5_300 },
    { source: createCrackle(0.03, 3), durationMs: 7_900 },
  ],
  'call-center': [
    { source: createMurmur({ voices: 6, gain: 0.09, cutoffHz: 2_100 }), durationMs: 12_100 },
    { source: createMurmur({ voices: 3, gain: 0.075, cutoffHz: 2_800 }), durationMs: 9_700 },
    { source: createTyping(0.05), durationMs: 10_700 },
    { source: createDeskPhones(0.035, 9_000), durationMs: 23_300 },
    { source: createRumble(0.04, 350), durationMs: 6_700 },
  ],
} satisfies Record<string, readonly SoundPart[]>

type BackgroundName = keyof typeof AMBIENT_PARTS | 'typing' | MusicName

const PARTS: Readonly<Record<BackgroundName, readonly SoundPart[]>> = {
  ...AMBIENT_PARTS,
  typing: [{ source: createTyping(0.25), durationMs: 21_000 }],
  ...musicParts,
}

/** Returns the named sound's layers, or `null` for `none` and unknown names. */
function findParts(name: string): readonly SoundPart[] | null {
  return Object.hasOwn(PARTS, name) ? PARTS[name as BackgroundName] : null
}

const FULL_SCALE = 32_767

/** Duration of the crossfade from a loop's end to its start. A shorter crossfade would be noticeable in wind. */
const SEAM_MS = 1_500
const PERIODIC_SEAM_MS = 60

interface SoundLoopOptions {
  readonly rateHz: number
  readonly durationMs: number
  readonly seed: number
  /** Whether the source repeats after this duration, as music does. */
  readonly isPeriodic: boolean
}

/** A repeating section of an endless sound, shared by all calls that play it. */
type SoundLoop = ReturnType<typeof createSoundLoop>

/**
 * Creates a loop that renders slightly ahead of its first playback and then reads from memory. Crossfades the loop's end into
 * its start.
 */
export function createSoundLoop(source: SoundSource, { rateHz, durationMs, seed, isPeriodic }: SoundLoopOptions) {
  const seamMs = isPeriodic ? PERIODIC_SEAM_MS : SEAM_MS
  const samples = new Int16Array(Math.round((rateHz * durationMs) / 1000))
  const seamSamples = Math.min(samples.length >> 1, Math.round((rateHz * seamMs) / 1000))
  const totalSamples = samples.length + seamSamples
  let nextSample: (() => number) | null = source(rateHz, createSeededRandom(seed))
  let renderedSamples = 0
  /** Furthest position that any call has played. */
  let playedSamples = 0

  /** Renders ahead of playback in steps, because rendering the loop at once would block all calls. */
  function renderAhead(position: number): void {
    if (nextSample === null || position <= playedSamples) return
    playedSamples = Math.min(samples.length, position)
    const renderTarget = Math.ceil((playedSamples * totalSamples) / samples.length)
    for (; renderedSamples < renderTarget && renderedSamples < samples.length; renderedSamples += 1)
      samples[renderedSamples] = quantize(nextSample())
    for (; renderedSamples < renderTarget; renderedSamples += 1)
      crossfadeSample(renderedSamples - samples.length, nextSample())
    if (renderedSamples >= totalSamples) nextSample = null
  }

  function crossfadeSample(index: number, endSample: number): void {
    const share = (index + 0.5) / seamSamples
    // Different signals need equal-power crossfades; identical signals need equal-amplitude crossfades.
    const fadeOutGain = isPeriodic ? 1 - share : Math.cos((share * Math.PI) / 2)
    const fadeInGain = isPeriodic ? share : Math.sin((share * Math.PI) / 2)
    samples[index] = quantize(fadeOutGain * endSample + (fadeInGain * (samples[index] as number)) / FULL_SCALE)
  }

  return {
    /** Adds samples from `position`, scaled by `gain`, and returns the next position. */
    addTo(target: Float32Array, position: number, gain: number): number {
      renderAhead(position + target.length)
      let sampleIndex = position % samples.length
      for (let index = 0; index < target.length; index += 1) {
        target[index] = (target[index] as number) + gain * (samples[sampleIndex] as number)
        sampleIndex += 1
        if (sampleIndex === samples.length) sampleIndex = 0
      }
      return sampleIndex
    },
    /** Returns a random start position within the rendered part. Music starts at 0. */
    chooseStartPosition(random: () => number): number {
      if (isPeriodic) return 0
      // A call that started within the seam could hear the crossfade point.
      const firstPosition = nextSample !== null && playedSamples > 2 * seamSamples ? seamSamples : 0
      return (
        firstPosition + Math.floor(random() * ((nextSample === null ? samples.length : playedSamples) - firstPosition))
      )
    },
  }
}

function quantize(value: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE, Math.round(value * FULL_SCALE)))
}

/** A call's endless background sound. */
export interface Background {
  /** Adds the next samples, scaled by `gain`. */
  addTo(target: Float32Array, gain: number): void
}

/** Rendered loops by name and rate, shared by all calls. */
const loops = new Map<string, readonly SoundLoop[]>()

/**
 * Creates a background sound by name (`ambient_sound`, `typing` or hold music), or returns `null` for `none` and unknown names.
 * `seed` selects the start position.
 */
export function createBackground(name: string, options: { rateHz: number; seed: number }): Background | null {
  const { rateHz, seed } = options
  const parts = findLoops(name, rateHz)
  if (parts === null) return null
  const random = createSeededRandom(seed)
  const positions = parts.map((part) => part.chooseStartPosition(random))
  return {
    addTo(target, gain) {
      for (const [index, loop] of parts.entries()) positions[index] = loop.addTo(target, positions[index] ?? 0, gain)
    },
  }
}

function findLoops(name: string, rateHz: number): readonly SoundLoop[] | null {
  const key = `${name}:${rateHz}`
  const cached = loops.get(key)
  if (cached !== undefined) return cached
  const parts = findParts(name)
  if (parts === null) return null
  const newLoops = parts.map(({ source, durationMs, isPeriodic = false }, index) =>
    createSoundLoop(source, { rateHz, durationMs, isPeriodic, seed: index * 7_919 + name.length }),
  )
  loops.set(key, newLoops)
  return newLoops
}
