import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readWav } from '../../testing/speech-server/wav-audio.ts'
import { CLIP_RATE_HZ, convertRate } from '../harness/clip-audio.ts'
import { type RecordingLabel, readLabels } from './recording-labels.ts'

/** A labeled part of a recording. */
export interface LabeledClip {
  readonly label: RecordingLabel
  /** Samples at 16 kHz with their original level. */
  readonly samples: Int16Array
}

const LABEL_FILE = 'labels.tsv'

/** Reads the WAV files of a folder with a `labels.tsv`. Throws with the file and line of the first problem. */
export async function readRecordings(folder: string): Promise<LabeledClip[]> {
  const labels = readLabels(await readFile(join(folder, LABEL_FILE), 'utf8'))
  const recordings = new Map<string, Int16Array>()
  const clips: LabeledClip[] = []
  for (const label of labels) {
    const audio = recordings.get(label.file) ?? (await readAudio(folder, label.file))
    recordings.set(label.file, audio)
    const samples = audio.slice(toSample(label.startMs), toSample(label.endMs))
    if (samples.length === 0) throw new Error(`${label.file} ends before ${label.startMs} ms.`)
    clips.push({ label, samples })
  }
  return clips
}

async function readAudio(folder: string, file: string): Promise<Int16Array> {
  if (basename(file) !== file) throw new Error(`"${file}" is not a file in the folder.`)
  const recording = readWav(await readFile(join(folder, file)))
  if (typeof recording === 'string') throw new Error(`${file} is unusable: ${recording}.`)
  return convertRate(recording.samples, recording.rateHz, CLIP_RATE_HZ)
}

const toSample = (timeMs: number): number => Math.round((timeMs * CLIP_RATE_HZ) / 1_000)
