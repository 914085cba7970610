import type { SoundPart, SoundSource } from './sound-effects.ts'

/** Names of transfer tools' hold music. */
export type MusicName = 'relaxing_sound' | 'uplifting_beats' | 'ringtone'

interface Note {
  readonly atBeats: number
  /** MIDI pitch: 69 is 440 Hz. */
  readonly pitch: number
  readonly gain: number
}

interface Song {
  readonly beatMs: number
  readonly beats: number
  readonly voices: readonly { readonly notes: readonly Note[]; readonly instrument: Instrument }[]
}

/** A synthetic instrument. `sample` returns the amplitude `seconds` after the start of a note. */
interface Instrument {
  readonly durationSeconds: number
  sample(seconds: number, hz: number, random: () => number): number
}

const pad: Instrument = {
  durationSeconds: 5.2,
  sample: (seconds, hz) => {
    const swell = Math.min(1, seconds / 1.1) * Math.min(1, (5.2 - seconds) / 1.6)
    const phase = 2 * Math.PI * hz * seconds
    return (
      swell *
      (Math.sin(phase) + 0.35 * Math.sin(phase * 1.003) + 0.18 * Math.sin(2 * phase) + 0.06 * Math.sin(3 * phase))
    )
  },
}

const pluck: Instrument = {
  durationSeconds: 1.8,
  sample: (seconds, hz) => {
    const phase = 2 * Math.PI * hz * seconds
    const attack = Math.min(1, seconds * 160)
    return attack * (Math.exp(-2.6 * seconds) * Math.sin(phase) + 0.4 * Math.exp(-5 * seconds) * Math.sin(2 * phase))
  },
}

const bass: Instrument = {
  durationSeconds: 0.5,
  sample: (seconds, hz) => {
    const phase = 2 * Math.PI * hz * seconds
    return (
      Math.min(1, seconds * 120) *
      Math.exp(-5 * seconds) *
      (Math.sin(phase) + 0.5 * Math.sin(2 * phase) + 0.3 * Math.sin(3 * phase))
    )
  },
}

const kick: Instrument = {
  durationSeconds: 0.28,
  sample: (seconds) =>
    Math.exp(-13 * seconds) * Math.sin(2 * Math.PI * (58 * seconds + 2.4 * (1 - Math.exp(-34 * seconds)))),
}

const hat: Instrument = {
  durationSeconds: 0.06,
  sample: (seconds, _hz, random) => Math.exp(-70 * seconds) * (random() * 2 - 1),
}

const clap: Instrument = {
  durationSeconds: 0.16,
  sample: (seconds, _hz, random) => Math.exp(-26 * seconds) * (random() * 2 - 1),
}

const RELAXING_CHORDS = [
  [48, 60, 64, 67, 71],
  [45, 57, 60, 64, 67],
  [41, 57, 60, 65, 69],
  [43, 55, 59, 62, 69],
] as const

const UPLIFTING_CHORDS = [
  [48, 60, 64, 67],
  [43, 59, 62, 67],
  [45, 60, 64, 69],
  [41, 60, 65, 69],
] as const

/** Slow chords with a melody above them, 20 s. */
const RELAXING: Song = {
  beatMs: 1_250,
  beats: 16,
  voices: [
    {
      instrument: pad,
      notes: RELAXING_CHORDS.flatMap((chord, bar) => chord.map((pitch) => ({ atBeats: bar * 4, pitch, gain: 0.042 }))),
    },
    {
      instrument: pluck,
      notes: RELAXING_CHORDS.flatMap((chord, bar) =>
        [4, 2, 3, 1].map((index, beat) => ({ atBeats: bar * 4 + beat, pitch: (chord[index] ?? 60) + 12, gain: 0.08 })),
      ),
    },
  ],
}

/** Drums, bass and broken chords at 112 beats per minute, 17 s. */
const UPLIFTING: Song = {
  beatMs: 60_000 / 112,
  beats: 32,
  voices: [
    { instrument: kick, notes: repeatNote(32, 1, 0.24) },
    { instrument: clap, notes: repeatNote(16, 2, 0.06, 1) },
    { instrument: hat, notes: repeatNote(32, 1, 0.035, 0.5) },
    {
      instrument: bass,
      notes: UPLIFTING_CHORDS.flatMap((chord, bar) =>
        [0, 1.5, 3, 4, 5.5, 7].map((beat) => ({ atBeats: bar * 8 + beat, pitch: chord[0] - 12, gain: 0.11 })),
      ),
    },
    {
      instrument: pluck,
      notes: UPLIFTING_CHORDS.flatMap((chord, bar) =>
        Array.from({ length: 16 }, (_, index) => ({
          atBeats: bar * 8 + index / 2,
          pitch: (chord[1 + ((index * 2) % 3)] ?? 60) + (index % 4 === 3 ? 12 : 0),
          gain: index % 4 === 0 ? 0.08 : 0.05,
        })),
      ),
    },
  ],
}

function repeatNote(count: number, beats: number, gain: number, offsetBeats = 0): Note[] {
  return Array.from({ length: count }, (_, index) => ({ atBeats: offsetBeats + index * beats, pitch: 69, gain }))
}

/** Loops a song. Notes that still sound at the end overlap the start. */
function createSong(song: Song): SoundSource {
  return (rateHz, random) => {
    const beatSamples = (song.beatMs * rateHz) / 1000
    const sortedNotes = song.voices
      .flatMap(({ notes, instrument }) =>
        notes.map((note) => ({ ...note, instrument, atSample: Math.round(note.atBeats * beatSamples) })),
      )
      .sort((a, b) => a.atSample - b.atSample)
    const durationSamples = Math.round(song.beats * beatSamples)
    const createActiveNote = (note: (typeof sortedNotes)[number], step: number) => ({
      note,
      hz: 440 * 2 ** ((note.pitch - 69) / 12),
      step,
    })
    const isPlaying = ({ note, step }: { note: (typeof sortedNotes)[number]; step: number }): boolean =>
      step / rateHz < note.instrument.durationSeconds
    // Start with the notes that overlap from the end, so that the first pass equals all later passes.
    let activeNotes = sortedNotes
      .map((note) => createActiveNote(note, durationSamples - note.atSample))
      .filter(isPlaying)
    let position = 0
    let nextNote = 0
    return () => {
      for (
        let note = sortedNotes[nextNote];
        note !== undefined && note.atSample <= position;
        note = sortedNotes[nextNote]
      ) {
        activeNotes.push(createActiveNote(note, 0))
        nextNote += 1
      }
      let sum = 0
      let hasEndedNote = false
      for (const current of activeNotes) {
        const seconds = current.step / rateHz
        current.step += 1
        if (seconds >= current.note.instrument.durationSeconds) hasEndedNote = true
        else sum += current.note.gain * current.note.instrument.sample(seconds, current.hz, random)
      }
      if (hasEndedNote) activeNotes = activeNotes.filter(isPlaying)
      position += 1
      if (position >= durationSamples) {
        position = 0
        nextNote = 0
      }
      return sum
    }
  }
}

/** North American ringback tone: two seconds on, four seconds off. */
const ringback: SoundSource = (rateHz) => {
  let step = 0
  return () => {
    const seconds = (step / rateHz) % 6
    step += 1
    if (seconds >= 2) return 0
    const fade = Math.min(1, seconds * 100, (2 - seconds) * 100)
    return 0.11 * fade * (Math.sin(2 * Math.PI * 440 * seconds) + Math.sin(2 * Math.PI * 480 * seconds))
  }
}

/** Hold music and tones, by their names in transfer tools. */
export const musicParts: Readonly<Record<MusicName, readonly SoundPart[]>> = {
  relaxing_sound: [{ source: createSong(RELAXING), durationMs: RELAXING.beatMs * RELAXING.beats, isPeriodic: true }],
  uplifting_beats: [
    { source: createSong(UPLIFTING), durationMs: UPLIFTING.beatMs * UPLIFTING.beats, isPeriodic: true },
  ],
  ringtone: [{ source: ringback, durationMs: 6_000, isPeriodic: true }],
}
