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
  status: 'waiting' | 'synthesizing' | 'synthesized'
  /** Incremented for every attempted voice. */
  attempt: number
  /** Index of the first voice that has not failed. */
  voiceIndex: number
  controller: AbortController | null
  cancelStallTimeout: () => void
  /** Remaining text for the current voice, and the number of samples before that text. */
  remainingText: string
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
  #failedVoices: { readonly settings: SpeakingSettings; count: number } | null = null
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
      attempt: 0,
      voiceIndex: 0,
      controller: null,
      cancelStallTimeout: () => {},
      remainingText: prepared.text,
      samplesBefore: 0,
      samples: 0,
      words: [],
      isPlaying: false,
    })
    this.#startNext()
  }

  /** Switches to the next voice, because the current one did not respond in time. */
  switchVoice(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry === undefined || entry.status === 'synthesized') return
    if (entry.status === 'waiting') this.#startNext()
    else this.#fail(entry, { kind: 'timeout', message: 'The voice did not respond in time.', retryable: true })
  }

  handleStarted(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry !== undefined) entry.isPlaying = true
    this.#startNext()
  }

  handleEnded(utteranceId: string): void {
    this.#entries = this.#entries.filter(({ utterance }) => utterance.id !== utteranceId)
    this.#startNext()
  }

  /** Drops all pending speech. */
  clear(): void {
    const entries = this.#entries
    this.#entries = []
    this.#isFull = false
    for (const entry of entries) this.#stop(entry)
  }

  #startNext(): void {
    if (this.#entries.some(({ status }) => status === 'synthesizing')) return
    const nextEntry = this.#entries.find(({ status }) => status === 'waiting')
    if (nextEntry === undefined) return
    const readyEntries = this.#entries.filter(({ status, isPlaying }) => status === 'synthesized' && !isPlaying)
    const characters = readyEntries.reduce((sum, { utterance }) => sum + utterance.text.length, 0)
    this.#isFull = characters > (this.#isFull ? RESUME_AHEAD_CHARACTERS : MAX_AHEAD_CHARACTERS)
    if (readyEntries.length >= MAX_READY || this.#isFull) return
    if (nextEntry.utterance.prepared.text.trim() === '') {
      this.#complete(nextEntry)
      return
    }
    this.#startUtterance(nextEntry)
  }

  #startUtterance(entry: Entry): void {
    const failedCount = this.#failedVoices?.settings === entry.speaking ? this.#failedVoices.count : 0
    entry.voiceIndex = Math.max(entry.voiceIndex, failedCount)
    const voice = entry.speaking.voices[entry.voiceIndex]
    if (voice === undefined) {
      this.#failUtterance(entry)
      return
    }
    entry.status = 'synthesizing'
    entry.attempt += 1
    entry.controller = new AbortController()
    void this.#synthesize(entry, voice, entry.controller.signal)
  }

  async #synthesize(entry: Entry, { synthesizer, voice, model }: AgentVoice, signal: AbortSignal): Promise<void> {
    const { attempt, remainingText, speaking } = entry
    const { language, speed, temperature, emotion } = speaking
    const { rateHz, onUsage } = this.#options
    onUsage(synthesizer.name, remainingText.length, 'character')
    this.#watchForStall(entry, FIRST_AUDIO_STALL_MS)
    try {
      const request = { text: remainingText, voice, model, language, rateHz, speed, temperature, emotion, signal }
      for await (const event of synthesizer.synthesize(request)) {
        if (entry.attempt !== attempt || signal.aborted) return
        this.#handleEvent(entry, event)
        if (event.type === 'end' || event.type === 'failed') return
      }
      if (entry.attempt === attempt && !signal.aborted)
        this.#fail(entry, createProtocolFailure('The voice stream ended without an end event.'))
    } catch {
      if (entry.attempt === attempt && !signal.aborted)
        this.#fail(entry, createProtocolFailure('The voice stream broke off.'))
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
    entry.cancelStallTimeout()
    entry.status = 'synthesized'
    this.#recordAudioUsage(entry)
    entry.controller = null
    const { id } = entry.utterance
    const { ended } = this.#options.playout.complete(id)
    this.#options.post({ type: 'speech-complete', utteranceId: id })
    this.#options.onEnded(ended)
    this.#startNext()
  }

  /** Handles a voice's failure. The next voice continues with the remaining text. */
  #fail(entry: Entry, failure: SpeechFailure): void {
    const { speaking } = entry
    const name = getVoiceName(entry)
    this.#stop(entry)
    entry.attempt += 1
    entry.voiceIndex += 1
    if (this.#failedVoices?.settings !== speaking) this.#failedVoices = { settings: speaking, count: 0 }
    // The last voice is retried for the next utterance.
    this.#failedVoices.count = Math.min(
      Math.max(this.#failedVoices.count, entry.voiceIndex),
      speaking.voices.length - 1,
    )
    this.#options.onFailure(name, failure)
    const { remainingText, samplesBefore, samples, words } = entry
    const synthesizedMs = this.#toMs(samples - samplesBefore)
    const offsetMs = this.#toMs(samplesBefore)
    const voiceWords = words
      .filter(({ endMs }) => endMs > offsetMs)
      .map(({ text, endMs }) => ({ text, endMs: endMs - offsetMs }))
    entry.remainingText = getRemainingText(remainingText, { synthesizedMs, words: voiceWords, speed: speaking.speed })
    entry.samplesBefore = samples
    if (samples > 0 && entry.remainingText === '') this.#complete(entry)
    else this.#startUtterance(entry)
  }

  #failUtterance(entry: Entry): void {
    const { utterance, samples, remainingText } = entry
    if (samples > 0) {
      // Synthesized text is spoken, and the rest counts as unheard.
      utterance.spokenUntil = utterance.prepared.text.length - remainingText.length
      this.#complete(entry)
      return
    }
    this.#entries = this.#entries.filter((candidate) => candidate !== entry)
    this.#options.onUtteranceFailed(utterance.id)
    this.#options.playout.complete(utterance.id)
    this.#options.post({ type: 'speech-failed', utteranceId: utterance.id })
    this.#startNext()
  }

  #watchForStall(entry: Entry, stallMs: number): void {
    entry.cancelStallTimeout()
    entry.cancelStallTimeout = this.#options.clock.after(stallMs, () => {
      this.#fail(entry, { kind: 'timeout', message: 'The voice stalled.', retryable: true })
    })
  }

  #stop(entry: Entry): void {
    entry.cancelStallTimeout()
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

function getVoiceName({ speaking, voiceIndex }: Entry): string {
  return speaking.voices[voiceIndex]?.synthesizer.name ?? ''
}

function createProtocolFailure(message: string): SpeechFailure {
  return { kind: 'protocol', message, retryable: true }
}

/** Duration of a character at normal speed, for voices without word times. */
const CHARACTER_MS = 65

/** Punctuation belongs to the preceding word. A character of a script without spaces is the next word. */
const REST_OF_WORD = /^[\S--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]*/v

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
    const index = text.toLowerCase().indexOf(word.toLowerCase(), offset)
    if (index >= 0) offset = index + word.length
    startMs = endMs
  }
  return offset + (REST_OF_WORD.exec(text.slice(offset))?.[0].length ?? 0)
}

function estimateRemainingText(text: string, synthesizedMs: number): string {
  const spokenCharacters = Math.floor(synthesizedMs / CHARACTER_MS)
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (index + word.length / 2 >= spokenCharacters) return text.slice(index).trim()
  }
  return ''
}
