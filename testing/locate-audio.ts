import { correlate, loudnessOf } from './loudness.ts'
import type { Recording } from './speech-server/wav-audio.ts'

/** A part of a recording. */
export function sliceRecording({ samples, rateHz }: Recording, fromMs: number, toMs: number): Recording {
  const at = (timeMs: number): number => Math.max(0, Math.round((timeMs * rateHz) / 1_000))
  return { samples: samples.slice(at(fromMs), at(toMs)), rateHz }
}

export function durationMs({ samples, rateHz }: Recording): number {
  return (samples.length / rateHz) * 1_000
}

/** Recordings of one rate, one after the other. */
export function joined(recordings: readonly Recording[]): Recording {
  const samples = new Int16Array(recordings.reduce((sum, recording) => sum + recording.samples.length, 0))
  let place = 0
  for (const recording of recordings) {
    samples.set(recording.samples, place)
    place += recording.samples.length
  }
  return { samples, rateHz: recordings[0]?.rateHz ?? 0 }
}

export interface AudioMatch {
  /** Offset of the needle in the hay; negative if it starts earlier. */
  readonly atMs: number
  /** Similarity of their loudness at this position, 1 for equal envelopes. */
  readonly correlation: number
}

/** Beginnings that are tried within each step. */
const PHASE_COUNT = 8

/**
 * Where a sound is found in another within these bounds, by its loudness in steps of so many milliseconds. It may begin anywhere
 * within a step: by half a step of 5 ms the pulses of a voice fall into other steps, and the same sound correlates with itself
 * by .84.
 */
export function locateAudio(
  query: Recording,
  recording: Recording,
  { fromMs, toMs, stepMs = 1 }: { readonly fromMs: number; readonly toMs: number; readonly stepMs?: number },
): AudioMatch {
  const { rateHz } = recording
  const step = Math.round((rateHz * stepMs) / 1_000)
  const needle = loudnessOf(query, stepMs)
  let best: AudioMatch = { atMs: 0, correlation: -1 }
  for (let phase = 0; phase < step; phase += Math.max(1, Math.floor(step / PHASE_COUNT))) {
    const haystack = loudnessOf(recording, stepMs, phase)
    const phaseMs = (phase * 1_000) / rateHz
    for (let at = Math.round(fromMs / stepMs); at * stepMs + phaseMs <= toMs; at += 1) {
      const correlation = correlateAt(needle, haystack, at)
      if (correlation > best.correlation) best = { atMs: at * stepMs + phaseMs, correlation }
    }
  }
  return best
}

const WAVEFORM_STEP = 4

/** The same by waveform, for short, similar sounds of the same rate. */
export function locateWaveform(query: Recording, recording: Recording): AudioMatch {
  const downsample = ({ samples }: Recording): Float64Array =>
    Float64Array.from({ length: Math.floor(samples.length / WAVEFORM_STEP) }, (_, index) => {
      const from = index * WAVEFORM_STEP
      return samples.subarray(from, from + WAVEFORM_STEP).reduce((sum, sample) => sum + sample, 0)
    })
  const [needle, haystack] = [downsample(query), downsample(recording)]
  const stepMs = (WAVEFORM_STEP * 1_000) / recording.rateHz
  let best: AudioMatch = { atMs: 0, correlation: -1 }
  for (let at = -needle.length; at < haystack.length; at += 1) {
    const correlation = correlateAt(needle, haystack, at)
    if (correlation > best.correlation) best = { atMs: at * stepMs, correlation }
  }
  return best
}

/** Correlation of the whole needle at this position; missing hay counts as silence. */
function correlateAt(needle: Float64Array, haystack: Float64Array, at: number): number {
  return correlate(needle, haystack, { from: 0, to: needle.length, lag: at })
}

/** Louder than this is sound: the hiss of a resampler is not. */
const AUDIBLE_LEVEL = 30

/** The start of the first sound at or after a time; null without one. */
export function findAudioStartMs(recording: Recording, fromMs: number): number | null {
  const loudness = loudnessOf(recording, 5)
  const index = loudness.findIndex((value, place) => place * 5 >= fromMs && value > AUDIBLE_LEVEL)
  return index === -1 ? null : index * 5
}

/** The start of the first silence of this length at or after a time; null without one. */
export function findSilenceStartMs(recording: Recording, fromMs: number, forMs: number): number | null {
  const loudness = loudnessOf(recording, 5)
  let sinceMs = fromMs
  for (let index = Math.ceil(fromMs / 5); index < loudness.length; index += 1) {
    if ((loudness[index] ?? 0) > AUDIBLE_LEVEL) sinceMs = (index + 1) * 5
    else if ((index + 1) * 5 - sinceMs >= forMs) return sinceMs
  }
  return null
}

/** Duration of sound between two times, without gaps. */
export function audibleMs(recording: Recording, fromMs: number, toMs: number): number {
  return loudnessOf(sliceRecording(recording, fromMs, toMs), 5).filter((value) => value > AUDIBLE_LEVEL).length * 5
}
