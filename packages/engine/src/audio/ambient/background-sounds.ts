import { type MusicName, musicParts } from './hold-music.ts'
import { murmur } from './murmur.ts'
import { crackle, hiss, rumble, wind } from './noise.ts'
import { birds, crickets, cups, deskPhones, typing } from './sound-effects.ts'
import type { SoundPart } from './sound-source.ts'

const AMBIENT_PARTS = {
  'coffee-shop': [
    { source: murmur({ voices: 5, gain: 0.09, cutoffHz: 1_900 }), durationMs: 11_300 },
    { source: murmur({ voices: 3, gain: 0.08, cutoffHz: 2_600 }), durationMs: 8_700 },
    { source: cups(0.06, 900), durationMs: 13_900 },
    { source: rumble(0.04, 300), durationMs: 6_100 },
  ],
  'convention-hall': [
    { source: murmur({ voices: 9, gain: 0.055, cutoffHz: 1_300 }), durationMs: 12_700 },
    { source: murmur({ voices: 6, gain: 0.05, cutoffHz: 900 }), durationMs: 9_100 },
    { source: rumble(0.06, 220), durationMs: 7_300 },
  ],
  'summer-outdoor': [
    { source: birds(0.07, 1_100), durationMs: 13_300 },
    { source: birds(0.035, 700), durationMs: 10_100 },
    { source: crickets(0.02), durationMs: 8_900 },
    { source: rumble(0.03, 400), durationMs: 7_100 },
  ],
  'mountain-outdoor': [
    { source: wind(0.085), durationMs: 17_300 },
    { source: wind(0.06), durationMs: 11_900 },
    { source: birds(0.015, 6_000), durationMs: 19_100 },
  ],
  'static-noise': [
    { source: hiss(0.04), durationMs: 5_300 },
    { source: crackle(0.03, 3), durationMs: 7_900 },
  ],
  'call-center': [
    { source: murmur({ voices: 6, gain: 0.09, cutoffHz: 2_100 }), durationMs: 12_100 },
    { source: murmur({ voices: 3, gain: 0.075, cutoffHz: 2_800 }), durationMs: 9_700 },
    { source: typing(0.05), durationMs: 10_700 },
    { source: deskPhones(0.035, 9_000), durationMs: 23_300 },
    { source: rumble(0.04, 350), durationMs: 6_700 },
  ],
} satisfies Record<string, readonly SoundPart[]>

type BackgroundName = keyof typeof AMBIENT_PARTS | 'typing' | MusicName

const PARTS: Readonly<Record<BackgroundName, readonly SoundPart[]>> = {
  ...AMBIENT_PARTS,
  typing: [{ source: typing(0.25), durationMs: 21_000 }],
  ...musicParts,
}

/** What a sound is made of; `null` for names that stand for silence or are not known. */
export function partsOf(name: string): readonly SoundPart[] | null {
  return Object.hasOwn(PARTS, name) ? PARTS[name as BackgroundName] : null
}
