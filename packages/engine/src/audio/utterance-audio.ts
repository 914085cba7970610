import { type AudioEnvelope, createAudioEnvelope } from './audio-envelope.ts'

/** Louder than this is sound: about -44 dB, above the noise floor of synthetic voices. */
const AUDIBLE_AMPLITUDE = 200
/** Closed lips before a consonant are silent for less. */
const MIN_SILENCE_MS = 120

/** The samples of one utterance as they come in, from which any stretch can be read until it is let go. */
export interface UtteranceAudio {
  /** Keeps the array itself: whoever made it must not change it any more. */
  append(samples: Int16Array): void
  /** Copies `count` samples that begin at `offset`; they have to be there. */
  read(offset: number, count: number, target: Int16Array, targetOffset: number): void
  /** Lets go of what lies wholly before this sample. `keepsEnvelope` false: nobody will ask for the shape any more. */
  release(beforeOffset: number, keepsEnvelope: boolean): void
  /** Of all samples that ever came in. Looks at those that it has not seen yet. */
  readEnvelope(): AudioEnvelope
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
export function createUtteranceAudio(rateHz: number): UtteranceAudio {
  return new ChunkedAudio(rateHz)
}

class ChunkedAudio implements UtteranceAudio {
  readonly silences: { fromSample: number; toSample: number }[] = []
  totalSamples = 0
  readonly #minSilence: number
  readonly #chunks: Chunk[] = []
  readonly #envelope: ReturnType<typeof createAudioEnvelope>
  #analyzedSamples = 0
  #audibleFrom = -1
  #audibleTo = -1

  constructor(rateHz: number) {
    this.#minSilence = (rateHz * MIN_SILENCE_MS) / 1000
    this.#envelope = createAudioEnvelope(rateHz)
  }

  get audible(): UtteranceAudio['audible'] {
    return this.#audibleFrom < 0 ? null : { fromSample: this.#audibleFrom, toSample: this.#audibleTo }
  }

  append(samples: Int16Array): void {
    if (samples.length === 0) return
    const first = findFirstAudible(samples)
    if (first >= 0) {
      if (this.#audibleFrom < 0) this.#audibleFrom = this.totalSamples + first
      this.#recordSilences(samples, first)
    }
    this.#chunks.push({ offset: this.totalSamples, samples })
    this.totalSamples += samples.length
  }

  read(offset: number, count: number, target: Int16Array, targetOffset: number): void {
    const end = offset + count
    for (const chunk of this.#chunks) {
      if (chunk.offset >= end) break
      const from = Math.max(offset, chunk.offset)
      const to = Math.min(end, chunk.offset + chunk.samples.length)
      if (from >= to) continue
      target.set(chunk.samples.subarray(from - chunk.offset, to - chunk.offset), targetOffset + from - offset)
    }
  }

  release(beforeOffset: number, keepsEnvelope: boolean): void {
    let first = this.#chunks[0]
    while (first !== undefined && first.offset + first.samples.length <= beforeOffset) {
      if (keepsEnvelope) this.#analyzeChunk(first)
      this.#chunks.shift()
      first = this.#chunks[0]
    }
  }

  readEnvelope(): AudioEnvelope {
    for (const chunk of this.#chunks) this.#analyzeChunk(chunk)
    return this.#envelope
  }

  /** Only when somebody asks or the samples go: where the voice tells the times of its words nobody ever does. */
  #analyzeChunk({ offset, samples }: Chunk): void {
    if (offset < this.#analyzedSamples) return
    this.#envelope.append(samples)
    this.#analyzedSamples = offset + samples.length
  }

  /** Looks at each sample from the first sound on. */
  #recordSilences(samples: Int16Array, first: number): void {
    const { silences, totalSamples } = this
    const minSilence = this.#minSilence
    let audibleTo = this.#audibleTo
    for (let index = first; index < samples.length; index += 1) {
      if (!isAudible(samples[index] as number)) continue
      const sample = totalSamples + index
      if (audibleTo >= 0 && sample - audibleTo >= minSilence) silences.push({ fromSample: audibleTo, toSample: sample })
      audibleTo = sample + 1
    }
    this.#audibleTo = audibleTo
  }
}

function findFirstAudible(samples: Int16Array): number {
  for (let index = 0; index < samples.length; index += 1) {
    if (isAudible(samples[index] as number)) return index
  }
  return -1
}

function isAudible(sample: number): boolean {
  return sample > AUDIBLE_AMPLITUDE || sample < -AUDIBLE_AMPLITUDE
}
