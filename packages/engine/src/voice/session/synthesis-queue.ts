import type { LegRateHz } from '../../audio/frame.ts'
import type { Playout } from '../../audio/playout.ts'
import type { Clock } from '../../ports.ts'
import type { SpeechEvent, SpeechFailure } from '../ports.ts'
import type { VoiceEvent } from '../turn-machine/events.ts'
import type { AgentVoice, SpeakingSettings } from './session-ports.ts'
import type { Utterance } from './utterances.ts'

/** Synthesis pauses when this number of characters is ready and resumes below `RESUME_AHEAD_CHARACTERS`. */
const MAX_AHEAD_CHARACTERS = 1_000
const RESUME_AHEAD_CHARACTERS = 200

/** Maximum number of utterances synthesized ahead of the current one. */
const MAX_READY = 2

/** A voice that is silent for this long in the middle of speech has failed. */
const MID_SPEECH_STALL_MS = 2_500

/** Stall limit for speech that is not due yet. The turn machine switches voices sooner. */
const FIRST_AUDIO_STALL_MS = 6_000

interface SynthesisQueueOptions {
  readonly clock: Clock
  readonly rateHz: LegRateHz
  readonly playout: Playout
  readonly post: (event: VoiceEvent) => void
  readonly onFirstAudio: (utterance: Utterance) => void
  /** Reports a voice's usage in characters and seconds, because vendors charge for either. */
  readonly onUsage: (model: string, quantity: number, unit: 'character' | 'second') => void
  readonly onFailure: (model: string, failure: SpeechFailure) => void
  /** Called when no voice could synthesize the utterance. */
  readonly onUtteranceFailed: (utteranceId: string) => void
  readonly onEnded: (utteranceIds: readonly string[]) => void
}

interface Entry {
  readonly utterance: Utterance
  readonly speaking: SpeakingSettings
  status: 'waiting' | 'making' | 'made'
  /** Incremented for every attempted voice. */
  run: number
  /** Index of the first voice that has not failed. */
  voice: number
  controller: AbortController | null
  stopWatch: () => void
  /** Remaining text for the current voice, and the number of samples before that text. */
  remaining: string
  samplesBefore: number
  samples: number
  readonly words: { readonly text: string; readonly endMs: number }[]
  isPlaying: boolean
}

/** Synthesizes utterances in order, one while another plays. Fallback voices replace failing ones. */
export class SynthesisQueue {
  readonly #options: SynthesisQueueOptions
  #entries: Entry[] = []
  /** Failed voices, which are skipped while the settings stay the same. */
  #failed: { readonly settings: SpeakingSettings; count: number } | null = null
  #isFull = false

  constructor(options: SynthesisQueueOptions) {
    this.#options = options
  }

  /** Number of characters waiting for playback. */
  get pendingCharacters(): number {
    return this.#entries.reduce((sum, { utterance }) => sum + utterance.text.length, 0)
  }

  speak(utterance: Utterance, speaking: SpeakingSettings): void {
    const { id, prepared } = utterance
    this.#options.playout.startUtterance(id, prepared.text)
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

  /** Switches to the next voice, because the current one did not respond in time. */
  switchVoice(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry === undefined || entry.status === 'made') return
    if (entry.status === 'waiting') this.#fill()
    else this.#fail(entry, { kind: 'timeout', message: 'The voice did not respond in time.', retryable: true })
  }

  noteStarted(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry !== undefined) entry.isPlaying = true
    this.#fill()
  }

  noteEnded(utteranceId: string): void {
    this.#entries = this.#entries.filter(({ utterance }) => utterance.id !== utteranceId)
    this.#fill()
  }

  /** Drops all pending speech. */
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
    this.#watchForStall(entry, FIRST_AUDIO_STALL_MS)
    try {
      const request = { text: remaining, voice, model, language, rateHz, speed, temperature, emotion, signal }
      for await (const event of synthesizer.synthesize(request)) {
        if (entry.run !== run || signal.aborted) return
        this.#handleEvent(entry, event)
        if (event.type === 'end' || event.type === 'failed') return
      }
      if (entry.run === run && !signal.aborted)
        this.#fail(entry, createProtocolFailure('The voice stream ended without an end event.'))
    } catch {
      if (entry.run === run && !signal.aborted) this.#fail(entry, createProtocolFailure('The voice stream broke off.'))
    }
  }

  #handleEvent(entry: Entry, event: SpeechEvent): void {
    const { playout, post, onFirstAudio } = this.#options
    const { id } = entry.utterance
    switch (event.type) {
      case 'audio': {
        if (event.samples.length === 0) return
        const isFirst = entry.samples === 0
        entry.samples += event.samples.length
        playout.append(id, event.samples)
        this.#watchForStall(entry, MID_SPEECH_STALL_MS)
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

  /** Handles a voice's failure. The next voice continues with the remaining text. */
  #fail(entry: Entry, failure: SpeechFailure): void {
    const { speaking } = entry
    const name = getVoiceName(entry)
    this.#stop(entry)
    entry.run += 1
    entry.voice += 1
    if (this.#failed?.settings !== speaking) this.#failed = { settings: speaking, count: 0 }
    // The last voice is retried for the next utterance.
    this.#failed.count = Math.min(Math.max(this.#failed.count, entry.voice), speaking.voices.length - 1)
    this.#options.onFailure(name, failure)
    const { remaining, samplesBefore, samples, words } = entry
    const synthesizedMs = this.#toMs(samples - samplesBefore)
    const offsetMs = this.#toMs(samplesBefore)
    const timed = words
      .filter(({ endMs }) => endMs > offsetMs)
      .map(({ text, endMs }) => ({ text, endMs: endMs - offsetMs }))
    entry.remaining = getRemainingText(remaining, { synthesizedMs, words: timed, speed: speaking.speed })
    entry.samplesBefore = samples
    if (samples > 0 && entry.remaining === '') this.#complete(entry)
    else this.#startUtterance(entry)
  }

  #giveUp(entry: Entry): void {
    const { utterance, samples, remaining } = entry
    if (samples > 0) {
      // Synthesized text is spoken, and the rest counts as unheard.
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

  #watchForStall(entry: Entry, stallMs: number): void {
    entry.stopWatch()
    entry.stopWatch = this.#options.clock.after(stallMs, () => {
      this.#fail(entry, { kind: 'timeout', message: 'The voice stalled.', retryable: true })
    })
  }

  #stop(entry: Entry): void {
    entry.stopWatch()
    this.#recordAudioUsage(entry)
    entry.controller?.abort()
    entry.controller = null
  }

  /** Records the current voice's audio usage, whether or not the caller hears the audio. */
  #recordAudioUsage(entry: Entry): void {
    if (entry.controller === null) return
    const seconds = this.#toMs(entry.samples - entry.samplesBefore) / 1_000
    this.#options.onUsage(getVoiceName(entry), seconds, 'second')
  }

  #toMs(samples: number): number {
    return (samples * 1_000) / this.#options.rateHz
  }
}

function getVoiceName({ speaking, voice }: Entry): string {
  return speaking.voices[voice]?.synthesizer.name ?? ''
}

function createProtocolFailure(message: string): SpeechFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Duration of a character at normal speed, for voices without word times. */
const CHARACTER_MS = 65

/** The speech that a voice synthesized before it failed. */
interface SynthesizedSpeech {
  readonly synthesizedMs: number
  /** Word times from the start of the text. */
  readonly words: readonly { readonly text: string; readonly endMs: number }[]
  readonly speed: number
}

/**
 * Returns the text that is still to be synthesized, starting at a word boundary. Does not repeat a word that is at least half
 * finished.
 */
export function getRemainingText(text: string, { synthesizedMs, words, speed }: SynthesizedSpeech): string {
  if (synthesizedMs <= 0) return text
  return words.length > 0
    ? text.slice(findOffsetByWords(text, words, synthesizedMs)).trim()
    : estimateRemainingText(text, synthesizedMs * speed)
}

function findOffsetByWords(text: string, words: SynthesizedSpeech['words'], synthesizedMs: number): number {
  let offset = 0
  let startMs = 0
  for (const { text: word, endMs } of words) {
    if ((startMs + endMs) / 2 > synthesizedMs) break
    const at = text.toLowerCase().indexOf(word.toLowerCase(), offset)
    if (at >= 0) offset = at + word.length
    startMs = endMs
  }
  // Punctuation belongs to the preceding word.
  return offset + (/^\S*/.exec(text.slice(offset))?.[0].length ?? 0)
}

function estimateRemainingText(text: string, synthesizedMs: number): string {
  const made = Math.floor(synthesizedMs / CHARACTER_MS)
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (index + word.length / 2 >= made) return text.slice(index).trim()
  }
  return ''
}
