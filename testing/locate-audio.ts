import { correlate, measureLoudness } from './loudness.ts'
import type { Recording } from './speech-server/wav-audio.ts'

/** Returns a part of a recording. */
export function sliceRecording({ samples, rateHz }: Recording, fromMs: number, toMs: number): Recording {
  const toSampleIndex = (timeMs: number): number => Math.max(0, Math.round((timeMs * rateHz) / 1_000))
  return { samples: samples.slice(toSampleIndex(fromMs), toSampleIndex(toMs)), rateHz }
}

export function getDurationMs({ samples, rateHz }: Recording): number {
  return (samples.length / rateHz) * 1_000
}

/** Joins recordings of the same sample rate. */
export function joinRecordings(recordings: readonly Recording[]): Recording {
  const samples = new Int16Array(recordings.reduce((sum, recording) => sum + recording.samples.length, 0))
  let offset = 0
  for (const recording of recordings) {
    samples.set(recording.samples, offset)
    offset += recording.samples.length
  }
  return { samples, rateHz: recordings[0]?.rateHz ?? 0 }
}

export interface AudioMatch {
  /** Offset of the query in the recording; negative if the query starts earlier. */
  readonly atMs: number
  /** Similarity of loudness at this position; 1 for equal envelopes. */
  readonly correlation: number
}

/** Number of start positions tried within each step. */
const PHASE_COUNT = 8

/**
 * Finds audio in a recording within bounds by comparing loudness in steps. The audio can start anywhere within a step: an
 * offset of half a 5 ms step shifts voice pulses to other steps and lowers the self-correlation to 0.84.
 */
export function locateAudio(
  query: Recording,
  recording: Recording,
  { fromMs, toMs, stepMs = 1 }: { readonly fromMs: number; readonly toMs: number; readonly stepMs?: number },
): AudioMatch {
  const { rateHz } = recording
  const step = Math.round((rateHz * stepMs) / 1_000)
  const needle = measureLoudness(query, stepMs)
  let best: AudioMatch = { atMs: 0, correlation: -1 }
  for (let phase = 0; phase < step; phase += Math.max(1, Math.floor(step / PHASE_COUNT))) {
    const haystack = measureLoudness(recording, stepMs, phase)
    const phaseMs = (phase * 1_000) / rateHz
    for (let position = Math.round(fromMs / stepMs); position * stepMs + phaseMs <= toMs; position += 1) {
      const correlation = correlateAt(needle, haystack, position)
      if (correlation > best.correlation) best = { atMs: position * stepMs + phaseMs, correlation }
    }
  }
  return best
}

const WAVEFORM_STEP = 4

/** Finds audio by waveform, for short, similar sounds with the same sample rate. */
export function locateWaveform(query: Recording, recording: Recording): AudioMatch {
  const downsample = ({ samples }: Recording): Float64Array =>
    Float64Array.from({ length: Math.floor(samples.length / WAVEFORM_STEP) }, (_, index) => {
      const start = index * WAVEFORM_STEP
      return samples.subarray(start, start + WAVEFORM_STEP).reduce((sum, sample) => sum + sample, 0)
    })
  const [needle, haystack] = [downsample(query), downsample(recording)]
  const stepMs = (WAVEFORM_STEP * 1_000) / recording.rateHz
  let best: AudioMatch = { atMs: 0, correlation: -1 }
  for (let position = -needle.length; position < haystack.length; position += 1) {
    const correlation = correlateAt(needle, haystack, position)
    if (correlation > best.correlation) best = { atMs: position * stepMs, correlation }
  }
  return best
}

/** Returns the correlation of the entire query at a position. Missing samples count as silence. */
function correlateAt(needle: Float64Array, haystack: Float64Array, position: number): number {
  return correlate(needle, haystack, { from: 0, to: needle.length, lag: position })
}

/** Level above which samples are audible. Resampler noise is below this level. */
const AUDIBLE_LEVEL = 30

/** Returns the start of the first audio at or after a time, or null if there is none. */
export function findAudioStartMs(recording: Recording, fromMs: number): number | null {
  const loudness = measureLoudness(recording, 5)
  const index = loudness.findIndex((value, position) => position * 5 >= fromMs && value > AUDIBLE_LEVEL)
  return index === -1 ? null : index * 5
}

/** Returns the start of the first silence of the given length at or after a time, or null if there is none. */
export function findSilenceStartMs(recording: Recording, fromMs: number, forMs: number): number | null {
  const loudness = measureLoudness(recording, 5)
  let startedAtMs = fromMs
  for (let index = Math.ceil(fromMs / 5); index < loudness.length; index += 1) {
    if ((loudness[index] ?? 0) > AUDIBLE_LEVEL) startedAtMs = (index + 1) * 5
    else if ((index + 1) * 5 - startedAtMs >= forMs) return startedAtMs
  }
  return null
}

/** Returns the duration of audio between two times, without gaps. */
export function measureAudibleMs(recording: Recording, fromMs: number, toMs: number): number {
  return measureLoudness(sliceRecording(recording, fromMs, toMs), 5).filter((value) => value > AUDIBLE_LEVEL).length * 5
}
