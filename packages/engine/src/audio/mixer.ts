import { type Background, createBackground } from './ambient/background.ts'
import { countFrameSamples, createFrameFactory, type Frame } from './frame.ts'

/** Level above which samples are compressed toward full scale. */
const LIMITER_THRESHOLD = 22_000
const FULL_SCALE = 32_767
const HEADROOM = FULL_SCALE - LIMITER_THRESHOLD

/** Change of the ducking gain per frame, so that 9 dB take three frames. */
const DUCKING_STEP = 0.22

type TrackKind = 'ambient' | 'typing' | 'music'

/** Fade duration in frames. */
const FADE_FRAMES: Readonly<Record<TrackKind, number>> = { ambient: 25, typing: 2, music: 15 }

/** A background sound that fades in and out. */
interface Track {
  readonly kind: TrackKind
  readonly name: string
  readonly background: Background
  volume: number
  level: number
  isSelected: boolean
}

/** Mixes the audio that one caller hears. `seed` selects where background sounds start. */
export class Mixer {
  readonly #createFrame = createFrameFactory()
  readonly #options: { readonly rateHz: number; readonly seed: number }
  readonly #sum: Float32Array
  readonly #trackSum: Float32Array
  #tracks: Track[] = []
  #volume = 1
  /** Gain of ducked speech, which approaches its target frame by frame. */
  #ducking = 1
  #targetDucking = 1
  #previousVolume = 1

  constructor(options: { readonly rateHz: number; readonly seed: number }) {
    this.#options = options
    this.#sum = new Float32Array(countFrameSamples(options.rateHz))
    this.#trackSum = new Float32Array(this.#sum.length)
  }

  /** Mixes the next 20 ms into `speech` in place, or into a new frame. Returns `null` if nothing is audible. */
  mix(speech: Frame | null): Frame | null {
    this.#ducking = moveToward(this.#ducking, this.#targetDucking, DUCKING_STEP)
    const isSpeechUnchanged = speech === null || (this.#volume * this.#ducking === 1 && this.#previousVolume === 1)
    if (this.#tracks.length === 0 && isSpeechUnchanged) return speech
    const sum = this.#sum
    if (speech === null) sum.fill(0)
    else this.#addSpeech(speech)
    const hasMusic = this.#tracks.some(({ kind, isSelected }) => kind === 'music' && isSelected)
    for (const track of this.#tracks) this.#addTrack(track, hasMusic)
    if (this.#tracks.some(isFadedOut)) this.#tracks = this.#tracks.filter((track) => !isFadedOut(track))
    const frame = speech ?? this.#createFrame(sum.length)
    for (let index = 0; index < frame.length; index += 1) frame[index] = limitSample(sum[index] as number)
    return frame
  }

  /**
   * Sets the background sound (agent setting `ambient_sound`) and its gain, from 0 to 2. The sound continues between
   * utterances, and music mutes it.
   */
  setAmbient(name: string, volume: number): void {
    this.#selectTrack('ambient', name === 'none' || volume <= 0 ? null : name, Math.min(2, volume))
  }

  /** Sets the gain of speech, clamped to 0 to 2. */
  setVolume(volume: number): void {
    this.#volume = Math.min(2, Math.max(0, volume))
  }

  /** Lowers speech by `db` decibels, or restores it with 0, within three frames. */
  setDucking(db: number): void {
    this.#targetDucking = 10 ** (-db / 20)
  }

  /** Turns the keyboard typing sound on or off. */
  setTyping(isTyping: boolean): void {
    this.#selectTrack('typing', isTyping ? 'typing' : null, 1)
  }

  /** Plays hold music by name. An unknown name or `null` stops the music. */
  setMusic(name: string | null): void {
    this.#selectTrack('music', name, 1)
  }

  /** Fades in the named track and fades out all other tracks of its kind. */
  #selectTrack(kind: TrackKind, name: string | null, volume: number): void {
    const sameKindTracks = this.#tracks.filter((track) => track.kind === kind)
    for (const track of sameKindTracks) track.isSelected = track.name === name
    const existingTrack = sameKindTracks.find((track) => track.name === name)
    if (existingTrack !== undefined) existingTrack.volume = volume
    if (existingTrack !== undefined || name === null) return
    const background = createBackground(name, this.#options)
    if (background !== null) this.#tracks.push({ kind, name, background, volume, level: 0, isSelected: true })
  }

  /** Adds a track to the mix and moves its level toward the target. */
  #addTrack(track: Track, hasMusic: boolean): void {
    const sum = this.#sum
    const trackSum = this.#trackSum
    const isAudible = track.isSelected && !(hasMusic && track.kind === 'ambient')
    const previousLevel = track.level
    track.level = moveToward(previousLevel, isAudible ? 1 : 0, 1 / FADE_FRAMES[track.kind])
    if (previousLevel === 0 && track.level === 0) return
    if (previousLevel === track.level) {
      track.background.addTo(sum, previousLevel * track.volume)
      return
    }
    trackSum.fill(0)
    track.background.addTo(trackSum, track.volume)
    const slope = (track.level - previousLevel) / trackSum.length
    for (let index = 0; index < trackSum.length; index += 1) {
      sum[index] = (sum[index] as number) + (trackSum[index] as number) * (previousLevel + slope * index)
    }
  }

  #addSpeech(speech: Frame): void {
    const sum = this.#sum
    const previousVolume = this.#previousVolume
    const volume = this.#volume * this.#ducking
    const slope = (volume - previousVolume) / speech.length
    for (let index = 0; index < sum.length; index += 1) {
      sum[index] = (speech[index] as number) * (previousVolume + slope * index)
    }
    this.#previousVolume = volume
  }
}

function isFadedOut(track: Track): boolean {
  return !track.isSelected && track.level === 0
}

function moveToward(current: number, target: number, step: number): number {
  return current < target ? Math.min(target, current + step) : Math.max(target, current - step)
}

/** Limits a value softly, because hard clipping would crackle. */
function limitSample(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude <= LIMITER_THRESHOLD) return Math.round(value)
  const excess = (magnitude - LIMITER_THRESHOLD) / HEADROOM
  const limitedMagnitude = LIMITER_THRESHOLD + (HEADROOM * excess) / (1 + excess)
  return Math.round(value < 0 ? -limitedMagnitude : limitedMagnitude)
}
