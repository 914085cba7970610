import type { LegRateHz } from '../../audio/frame.ts'
import type { Playout } from '../../audio/playout.ts'
import type { Clock } from '../../ports.ts'
import type { SpeechEvent, SpeechFailure } from '../ports.ts'
import type { VoiceEvent } from '../turn-machine/events.ts'
import { remainingText } from './remaining-text.ts'
import type { AgentVoice, SpeakingSettings } from './session-ports.ts'
import type { Utterance } from './utterances.ts'

/** Speech that waits to be played is not made further ahead than this, and again once it is less than the second. */
const MAX_AHEAD_CHARACTERS = 1_000
const RESUME_AHEAD_CHARACTERS = 200

/** Utterances that are ready beside the one that plays. */
const MAX_READY = 2

/** A voice that falls silent in the middle for so long has died. */
const MID_SPEECH_STALL_MS = 2_500

/** The turn machine asks for another voice sooner; this holds for speech that nobody waits for yet. */
const FIRST_AUDIO_STALL_MS = 6_000

export interface SynthesisQueueOptions {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  readonly playout: Playout
  readonly post: (event: VoiceEvent) => void
  /** Its first sound is there. */
  readonly onFirstAudio: (utterance: Utterance) => void
  /** What a voice was asked to say, and what came of it: its maker charges one of them. */
  readonly onUsage: (model: string, quantity: number, unit: 'character' | 'second') => void
  readonly onFailure: (model: string, failure: SpeechFailure) => void
  /** No voice could make any sound of it. */
  readonly onUtteranceFailed: (utteranceId: string) => void
  readonly onEnded: (utteranceIds: readonly string[]) => void
}

interface Entry {
  readonly utterance: Utterance
  readonly speaking: SpeakingSettings
  status: 'waiting' | 'making' | 'made'
  /** Grows with every voice that tries. */
  run: number
  /** The first of the voices that has not failed on it. */
  voice: number
  controller: AbortController | null
  stopWatch: () => void
  /** What is still to be said by the voice that is at work, and where that begins. */
  remaining: string
  samplesBefore: number
  samples: number
  readonly words: { readonly text: string; readonly endMs: number }[]
  isPlaying: boolean
}

/** Has what is to be said made into sound, in order, one utterance while another plays; the next voice takes over from one that fails. */
export class SynthesisQueue {
  readonly #options: SynthesisQueueOptions
  #entries: Entry[] = []
  /** Voices of these settings that failed are not asked again. */
  #failed: { readonly settings: SpeakingSettings; count: number } | null = null
  #isFull = false

  constructor(options: SynthesisQueueOptions) {
    this.#options = options
  }

  /** Characters that wait to be played. */
  get pendingCharacters(): number {
    return this.#entries.reduce((sum, { utterance }) => sum + utterance.text.length, 0)
  }

  speak(utterance: Utterance, speaking: SpeakingSettings): void {
    const { generation, prepared } = utterance
    this.#options.playout.startUtterance(utterance.id, { generation, text: prepared.text })
    this.#entries.push({
      utterance,
      speaking,
      status: 'waiting',
      run: 0,
      voice: 0,
      controller: null,
      stopWatch: () => {},
      remaining: prepared.text,
      samplesBefore: 0,
      samples: 0,
      words: [],
      isPlaying: false,
    })
    this.#fill()
  }

  /** The voice at work did not answer in time: the next one says it. */
  switchVoice(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry === undefined || entry.status === 'made') return
    if (entry.status === 'waiting') this.#fill()
    else this.#fail(entry, { kind: 'timeout', message: 'The voice did not answer in time.', retryable: true })
  }

  /** Its first frame has left. */
  noteStarted(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry !== undefined) entry.isPlaying = true
    this.#fill()
  }

  /** It was played to its end. */
  noteEnded(utteranceId: string): void {
    this.#entries = this.#entries.filter(({ utterance }) => utterance.id !== utteranceId)
    this.#fill()
  }

  /** Nothing of what waits is said any more. */
  clear(): void {
    const entries = this.#entries
    this.#entries = []
    this.#isFull = false
    for (const entry of entries) this.#stop(entry)
  }

  #fill(): void {
    if (this.#entries.some(({ status }) => status === 'making')) return
    const next = this.#entries.find(({ status }) => status === 'waiting')
    if (next === undefined) return
    const ready = this.#entries.filter(({ status, isPlaying }) => status === 'made' && !isPlaying)
    const characters = ready.reduce((sum, { utterance }) => sum + utterance.text.length, 0)
    this.#isFull = characters > (this.#isFull ? RESUME_AHEAD_CHARACTERS : MAX_AHEAD_CHARACTERS)
    if (ready.length >= MAX_READY || this.#isFull) return
    if (next.utterance.prepared.text.trim() === '') {
      this.#complete(next)
      return
    }
    this.#startUtterance(next)
  }

  #startUtterance(entry: Entry): void {
    const known = this.#failed?.settings === entry.speaking ? this.#failed.count : 0
    entry.voice = Math.max(entry.voice, known)
    const voice = entry.speaking.voices[entry.voice]
    if (voice === undefined) {
      this.#giveUp(entry)
      return
    }
    entry.status = 'making'
    entry.run += 1
    entry.controller = new AbortController()
    void this.#synthesize(entry, voice, entry.controller.signal)
  }

  async #synthesize(entry: Entry, { synthesizer, voice, model }: AgentVoice, signal: AbortSignal): Promise<void> {
    const { run, remaining, speaking } = entry
    const { language, speed, temperature, emotion } = speaking
    const { rateHz, onUsage } = this.#options
    onUsage(synthesizer.name, remaining.length, 'character')
    this.#watch(entry, FIRST_AUDIO_STALL_MS)
    try {
      const request = { text: remaining, voice, model, language, rateHz, speed, temperature, emotion, signal }
      for await (const event of synthesizer.synthesize(request)) {
        if (entry.run !== run || signal.aborted) return
        this.#take(entry, event)
        if (event.type === 'end' || event.type === 'failed') return
      }
      if (entry.run === run && !signal.aborted) this.#fail(entry, protocolFailure('The voice ended without an end.'))
    } catch {
      if (entry.run === run && !signal.aborted) this.#fail(entry, protocolFailure('The voice broke off.'))
    }
  }

  #take(entry: Entry, event: SpeechEvent): void {
    const { playout, post, onFirstAudio } = this.#options
    const { id } = entry.utterance
    switch (event.type) {
      case 'audio': {
        if (event.samples.length === 0) return
        const isFirst = entry.samples === 0
        entry.samples += event.samples.length
        playout.append(id, event.samples)
        this.#watch(entry, MID_SPEECH_STALL_MS)
        if (!isFirst) return
        onFirstAudio(entry.utterance)
        post({ type: 'speech-ready', utteranceId: id })
        return
      }
      case 'words': {
        const offsetMs = this.#toMs(entry.samplesBefore)
        const words = event.words.map(({ text, startMs, endMs }) => {
          return { text, startMs: startMs + offsetMs, endMs: endMs + offsetMs }
        })
        entry.words.push(...words)
        playout.addWords(id, words)
        return
      }
      case 'end':
        this.#complete(entry)
        return
      case 'failed':
        this.#fail(entry, event.failure)
    }
  }

  #complete(entry: Entry): void {
    entry.stopWatch()
    entry.status = 'made'
    this.#recordAudioUsage(entry)
    entry.controller = null
    const { id } = entry.utterance
    const { ended } = this.#options.playout.complete(id)
    this.#options.post({ type: 'speech-complete', utteranceId: id })
    this.#options.onEnded(ended)
    this.#fill()
  }

  /** The next voice says what was not made yet. */
  #fail(entry: Entry, failure: SpeechFailure): void {
    const { speaking } = entry
    const name = voiceName(entry)
    this.#stop(entry)
    entry.run += 1
    entry.voice += 1
    if (this.#failed?.settings !== speaking) this.#failed = { settings: speaking, count: 0 }
    // The last voice is asked again for the next utterance: there is no other.
    this.#failed.count = Math.min(Math.max(this.#failed.count, entry.voice), speaking.voices.length - 1)
    this.#options.onFailure(name, failure)
    const { remaining, samplesBefore, samples, words } = entry
    const synthesizedMs = this.#toMs(samples - samplesBefore)
    const offsetMs = this.#toMs(samplesBefore)
    const timed = words
      .filter(({ endMs }) => endMs > offsetMs)
      .map(({ text, endMs }) => ({ text, endMs: endMs - offsetMs }))
    entry.remaining = remainingText(remaining, { synthesizedMs, words: timed, speed: speaking.speed })
    entry.samplesBefore = samples
    if (samples > 0 && entry.remaining === '') this.#complete(entry)
    else this.#startUtterance(entry)
  }

  #giveUp(entry: Entry): void {
    const { utterance, samples, remaining } = entry
    if (samples > 0) {
      // What was made is said; the rest of it is lost, and not heard either.
      utterance.spokenUntil = utterance.prepared.text.length - remaining.length
      this.#complete(entry)
      return
    }
    this.#entries = this.#entries.filter((other) => other !== entry)
    this.#options.onUtteranceFailed(utterance.id)
    this.#options.playout.complete(utterance.id)
    this.#options.post({ type: 'speech-failed', utteranceId: utterance.id })
    this.#fill()
  }

  #watch(entry: Entry, stallMs: number): void {
    entry.stopWatch()
    entry.stopWatch = this.#options.clock.after(stallMs, () => {
      this.#fail(entry, { kind: 'timeout', message: 'The voice stopped in the middle.', retryable: true })
    })
  }

  #stop(entry: Entry): void {
    entry.stopWatch()
    this.#recordAudioUsage(entry)
    entry.controller?.abort()
    entry.controller = null
  }

  /** The sound that came of the voice at work, whether anybody hears it or not. */
  #recordAudioUsage(entry: Entry): void {
    if (entry.controller === null) return
    const seconds = this.#toMs(entry.samples - entry.samplesBefore) / 1_000
    this.#options.onUsage(voiceName(entry), seconds, 'second')
  }

  #toMs(samples: number): number {
    return (samples * 1_000) / this.#options.rateHz
  }
}

function voiceName({ speaking, voice }: Entry): string {
  return speaking.voices[voice]?.synthesizer.name ?? ''
}

function protocolFailure(message: string): SpeechFailure {
  return { kind: 'protocol', message, retryable: true }
}
