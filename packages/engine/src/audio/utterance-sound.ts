import { createSoundShape, type SoundShape } from './sound-shape.ts'

/** Louder than this is sound: about -44 dB, above the noise floor of synthetic voices. */
const SOUND_AMPLITUDE = 200
/** Closed lips before a consonant are silent for less. */
const LEAST_SILENCE_MS = 120

/** The samples of one utterance as they come in, from which any stretch can be read until it is let go. */
export interface UtteranceSound {
  /** Keeps the array itself: whoever made it must not change it any more. */
  append(samples: Int16Array): void
  /** Copies `count` samples that begin at `offset`; they have to be there. */
  read(offset: number, count: number, target: Int16Array, targetOffset: number): void
  /** Lets go of what lies wholly before this sample. `keepsShape` false: nobody will ask for the shape any more. */
  release(beforeOffset: number, keepsShape: boolean): void
  /** Of all samples that ever came in. Looks at those that it has not seen yet. */
  readShape(): SoundShape
  /** Samples that ever came in. */
  readonly totalSamples: number
  /** Silences between sounds, in order: those that are long enough for a pause. */
  readonly silences: readonly { readonly fromSample: number; readonly toSample: number }[]
  /** Stretch outside of which there is only silence; `null` while nothing was loud enough. */
  readonly audible: { readonly fromSample: number; readonly toSample: number } | null
}

interface Chunk {
  readonly offset: number
  readonly samples: Int16Array
}

/** Nothing is copied before it is read. */
export function createUtteranceSound(rateHz: number): UtteranceSound {
  const leastSilence = (rateHz * LEAST_SILENCE_MS) / 1000
  const silences: { fromSample: number; toSample: number }[] = []
  const chunks: Chunk[] = []
  const shape = createSoundShape(rateHz)
  let totalSamples = 0
  let shapedSamples = 0
  let audibleFrom = -1
  let audibleTo = -1

  /** Only when somebody asks or the samples go: where the voice tells the times of its words nobody ever does. */
  function shapeChunk({ offset, samples }: Chunk): void {
    if (offset < shapedSamples) return
    shape.append(samples)
    shapedSamples = offset + samples.length
  }

  /** Looks at each sample from the first sound on. */
  function noteSilences(samples: Int16Array, first: number): void {
    for (let index = first; index < samples.length; index += 1) {
      if (!isSound(samples[index] as number)) continue
      const sample = totalSamples + index
      if (audibleTo >= 0 && sample - audibleTo >= leastSilence)
        silences.push({ fromSample: audibleTo, toSample: sample })
      audibleTo = sample + 1
    }
  }

  return {
    append(samples) {
      if (samples.length === 0) return
      const first = firstSound(samples)
      if (first >= 0) {
        if (audibleFrom < 0) audibleFrom = totalSamples + first
        noteSilences(samples, first)
      }
      chunks.push({ offset: totalSamples, samples })
      totalSamples += samples.length
    },
    read(offset, count, target, targetOffset) {
      const end = offset + count
      for (const chunk of chunks) {
        if (chunk.offset >= end) break
        const from = Math.max(offset, chunk.offset)
        const to = Math.min(end, chunk.offset + chunk.samples.length)
        if (from >= to) continue
        target.set(chunk.samples.subarray(from - chunk.offset, to - chunk.offset), targetOffset + from - offset)
      }
    },
    release(beforeOffset, keepsShape) {
      let first = chunks[0]
      while (first !== undefined && first.offset + first.samples.length <= beforeOffset) {
        if (keepsShape) shapeChunk(first)
        chunks.shift()
        first = chunks[0]
      }
    },
    readShape() {
      for (const chunk of chunks) shapeChunk(chunk)
      return shape
    },
    get totalSamples() {
      return totalSamples
    },
    silences,
    get audible() {
      return audibleFrom < 0 ? null : { fromSample: audibleFrom, toSample: audibleTo }
    },
  }
}

function firstSound(samples: Int16Array): number {
  for (let index = 0; index < samples.length; index += 1) {
    if (isSound(samples[index] as number)) return index
  }
  return -1
}

function isSound(sample: number): boolean {
  return sample > SOUND_AMPLITUDE || sample < -SOUND_AMPLITUDE
}
