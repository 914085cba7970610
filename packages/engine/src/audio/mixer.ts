import { type Background, createBackground } from './background.ts'
import { createFrameFactory, type Frame, frameSamples } from './frame.ts'

/** Up to here samples stay as they are; above they come ever nearer to full scale and never reach it. */
const LIMITER_THRESHOLD = 22_000
const FULL_SCALE = 32_767
const HEADROOM = FULL_SCALE - LIMITER_THRESHOLD

type TrackKind = 'ambient' | 'typing' | 'music'

/** Each comes and goes within so many frames. */
const FADE_FRAMES: Readonly<Record<TrackKind, number>> = { ambient: 25, typing: 2, music: 15 }

/** Puts together what a caller hears. */
export interface Mixer {
  /**
   * The next 20 ms: speech, if any, and what sounds beside it. `null`: nothing is to be heard. A frame that is given is
   * changed and given back; otherwise the frame is a new one.
   */
  mix(speech: Frame | null): Frame | null
  /** One of the agent setting `ambient_sound`; 1 leaves its loudness as it is. It goes on between utterances, and is silent during music. */
  setAmbient(name: string, volume: number): void
  /** Of speech, from 0 to 2; 1 leaves it as it is. */
  setVolume(volume: number): void
  /** Keys are heard while a tool works. */
  setTyping(on: boolean): void
  /** `relaxing_sound`, `uplifting_beats` or `ringtone`; `null` or any other name: none. */
  setMusic(name: string | null): void
}

/** Something beside speech that fades in and out. */
interface Track {
  readonly kind: TrackKind
  readonly name: string
  readonly background: Background
  volume: number
  level: number
  isWanted: boolean
}

/** One for each call; costs nothing while only speech is heard. `seed`: where in their sound ambience and keys begin. */
export function createMixer(options: { rateHz: number; seed: number }): Mixer {
  return new TrackMixer(options)
}

class TrackMixer implements Mixer {
  readonly #newFrame = createFrameFactory()
  readonly #options: { readonly rateHz: number; readonly seed: number }
  readonly #sum: Float32Array
  readonly #added: Float32Array
  #tracks: Track[] = []
  #volume = 1
  #previousVolume = 1

  constructor(options: { readonly rateHz: number; readonly seed: number }) {
    this.#options = options
    this.#sum = new Float32Array(frameSamples(options.rateHz))
    this.#added = new Float32Array(this.#sum.length)
  }

  mix(speech: Frame | null): Frame | null {
    const isUntouched = speech === null || (this.#volume === 1 && this.#previousVolume === 1)
    if (this.#tracks.length === 0 && isUntouched) return speech
    const sum = this.#sum
    if (speech === null) sum.fill(0)
    else this.#addSpeech(speech)
    const hasMusic = this.#tracks.some(({ kind, isWanted }) => kind === 'music' && isWanted)
    for (const track of this.#tracks) this.#addTrack(track, hasMusic)
    if (this.#tracks.some(isFadedOut)) this.#tracks = this.#tracks.filter((track) => !isFadedOut(track))
    const frame = speech ?? this.#newFrame(sum.length)
    for (let index = 0; index < frame.length; index += 1) frame[index] = limit(sum[index] as number)
    return frame
  }

  setAmbient(name: string, volume: number): void {
    this.#want('ambient', name === 'none' || volume <= 0 ? null : name, Math.min(2, volume))
  }

  setVolume(volume: number): void {
    this.#volume = Math.min(2, Math.max(0, volume))
  }

  setTyping(on: boolean): void {
    this.#want('typing', on ? 'typing' : null, 1)
  }

  setMusic(name: string | null): void {
    this.#want('music', name, 1)
  }

  /** At most one track of a kind is wanted. */
  #want(kind: TrackKind, name: string | null, volume: number): void {
    const sameKind = this.#tracks.filter((track) => track.kind === kind)
    for (const track of sameKind) track.isWanted = track.name === name
    const running = sameKind.find((track) => track.name === name)
    if (running !== undefined) running.volume = volume
    if (running !== undefined || name === null) return
    const background = createBackground(name, this.#options)
    if (background !== null) this.#tracks.push({ kind, name, background, volume, level: 0, isWanted: true })
  }

  /** Adds a track with its loudness on the way to where it is wanted. */
  #addTrack(track: Track, hasMusic: boolean): void {
    const sum = this.#sum
    const added = this.#added
    const isAudible = track.isWanted && !(hasMusic && track.kind === 'ambient')
    const from = track.level
    track.level = approach(from, isAudible ? 1 : 0, 1 / FADE_FRAMES[track.kind])
    if (from === 0 && track.level === 0) return
    if (from === track.level) {
      track.background.addTo(sum, from * track.volume)
      return
    }
    added.fill(0)
    track.background.addTo(added, track.volume)
    const slope = (track.level - from) / added.length
    for (let index = 0; index < added.length; index += 1) {
      sum[index] = (sum[index] as number) + (added[index] as number) * (from + slope * index)
    }
  }

  #addSpeech(speech: Frame): void {
    const sum = this.#sum
    const from = this.#previousVolume
    const slope = (this.#volume - from) / speech.length
    for (let index = 0; index < sum.length; index += 1) {
      sum[index] = (speech[index] as number) * (from + slope * index)
    }
    this.#previousVolume = this.#volume
  }
}

function isFadedOut(track: Track): boolean {
  return !track.isWanted && track.level === 0
}

function approach(from: number, to: number, step: number): number {
  return from < to ? Math.min(to, from + step) : Math.max(to, from - step)
}

/** Rounds off what is too loud where a plain cut would crackle. */
function limit(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude <= LIMITER_THRESHOLD) return Math.round(value)
  const excess = (magnitude - LIMITER_THRESHOLD) / HEADROOM
  const limited = LIMITER_THRESHOLD + (HEADROOM * excess) / (1 + excess)
  return Math.round(value < 0 ? -limited : limited)
}
