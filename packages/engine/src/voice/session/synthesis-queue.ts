import type { LegRateHz } from '../../audio/frame.ts'
import type { Playout } from '../../audio/playout.ts'
import type { Clock } from '../../ports.ts'
import type { SpeechEvent, SpeechFailure, TimedWord } from '../ports.ts'
import type { VoiceEvent } from '../turn-machine/events.ts'
import type { AgentVoice, SpeakingSettings } from './session-ports.ts'
import type { Utterance } from './utterances.ts'
import { findHandover, spreadWords } from './voice-handover.ts'

/** Synthesis pauses when this number of characters is ready and resumes below `RESUME_AHEAD_CHARACTERS`. */
const MAX_AHEAD_CHARACTERS = 1_000
const RESUME_AHEAD_CHARACTERS = 200

/** Maximum number of utterances synthesized ahead of the current one. */
const MAX_READY = 2

/** Silence that the caller hears before a voice counts as failed. Leaves the next voice a second of the promised 2.5. */
const MAX_SILENCE_MS = 1_500
/** Time for a voice's next audio, even while earlier audio plays. */
const NEXT_AUDIO_TIMEOUT_MS = 2_500
/** Time for a voice's first audio, even while earlier speech plays. */
const FIRST_AUDIO_TIMEOUT_MS = 6_000
/** Time for any audio of the last voice. Late speech is better than none. */
const LAST_VOICE_TIMEOUT_MS = 6_000

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
  /** Words of earlier voices, and words of the current voice from the start of its audio. */
  wordsBefore: readonly TimedWord[]
  words: TimedWord[]
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
      wordsBefore: [],
      words: [],
      isPlaying: false,
    })
    this.#startNext()
  }

  /** Switches to the next voice, because the current one did not respond in time. The last voice continues. */
  switchVoice(utteranceId: string): void {
    const entry = this.#entries.find(({ utterance }) => utterance.id === utteranceId)
    if (entry === undefined || entry.status === 'synthesized') return
    if (entry.status === 'waiting') this.#startNext()
    else if (!isLastVoice(entry))
      this.#fail(entry, { kind: 'timeout', message: 'The voice did not respond in time.', retryable: true })
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
    this.#watchForStall(entry, this.#getFirstAudioTimeout(entry))
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
        this.#watchForStall(entry, Math.min(NEXT_AUDIO_TIMEOUT_MS, this.#queuedMs + MAX_SILENCE_MS))
        if (!isFirst) return
        onFirstAudio(entry.utterance)
        post({ type: 'speech-ready', utteranceId: id })
        return
      }
      case 'words': {
        entry.words.push(...event.words)
        playout.addWords(id, shiftWords(event.words, this.#toMs(entry.samplesBefore)))
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
    this.#addMissingWords(entry)
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
    this.#handOver(entry)
    if (entry.samples > 0 && entry.remainingText === '') this.#complete(entry)
    else {
      this.#options.post({ type: 'speech-restarted', utteranceId: entry.utterance.id })
      this.#startUtterance(entry)
    }
  }

  /** Keeps the failed voice's audio up to a word, where the next voice continues. */
  #handOver(entry: Entry): void {
    const { playout, rateHz } = this.#options
    const { utterance, speaking, remainingText, samplesBefore, samples, wordsBefore, words } = entry
    const beforeMs = this.#toMs(samplesBefore)
    const sentMs = this.#toMs(playout.getSentSamples(utterance.id)) - beforeMs
    const hasTimes = words.length > 0
    // Without word times, a text of which nothing was heard is spoken again, because estimates are inexact.
    const synthesizedMs = hasTimes || sentMs > 0 ? this.#toMs(samples) - beforeMs : 0
    const handover = findHandover(remainingText, {
      synthesizedMs,
      sentMs,
      words: hasTimes || samplesBefore > 0 ? words : playout.getWordTimes(utterance.id),
      speed: speaking.speed,
    })
    const isEstimate = !hasTimes && handover.keptMs < synthesizedMs
    const keptMs = beforeMs + handover.keptMs
    // An estimated boundary can be within a word.
    const endMs = isEstimate ? playout.findQuietMs(utterance.id, keptMs) : keptMs
    const keptSamples = Math.round((endMs * rateHz) / 1_000)
    entry.wordsBefore = [...wordsBefore, ...shiftWords(handover.keptWords, beforeMs)]
    entry.words = []
    entry.samples = playout.truncate(utterance.id, keptSamples, entry.wordsBefore)
    entry.samplesBefore = entry.samples
    entry.remainingText = handover.remainingText
  }

  /** Estimates the words of a voice without word times that continued another voice's text. */
  #addMissingWords({ utterance, wordsBefore, words, remainingText, samplesBefore, samples }: Entry): void {
    if (wordsBefore.length === 0 || words.length > 0 || samples === samplesBefore) return
    const estimatedWords = spreadWords(remainingText, this.#toMs(samples - samplesBefore))
    this.#options.playout.addWords(utterance.id, shiftWords(estimatedWords, this.#toMs(samplesBefore)))
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
    const timeoutMs = isLastVoice(entry) ? Math.max(stallMs, LAST_VOICE_TIMEOUT_MS) : stallMs
    entry.cancelStallTimeout = this.#options.clock.after(timeoutMs, () => {
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

  get #queuedMs(): number {
    return this.#toMs(this.#options.playout.queuedSamples)
  }

  /** The first voice of speech that is due has more time: the turn machine switches it. */
  #getFirstAudioTimeout({ attempt }: Entry): number {
    const queuedMs = this.#queuedMs
    if (attempt === 1 && queuedMs === 0) return FIRST_AUDIO_TIMEOUT_MS
    return Math.min(FIRST_AUDIO_TIMEOUT_MS, Math.max(NEXT_AUDIO_TIMEOUT_MS, queuedMs + MAX_SILENCE_MS))
  }

  #toMs(samples: number): number {
    return (samples * 1_000) / this.#options.rateHz
  }
}

function shiftWords(words: readonly TimedWord[], byMs: number): TimedWord[] {
  return words.map(({ text, startMs, endMs }) => ({ text, startMs: startMs + byMs, endMs: endMs + byMs }))
}

function isLastVoice({ speaking, voiceIndex }: Entry): boolean {
  return voiceIndex >= speaking.voices.length - 1
}

function getVoiceName({ speaking, voiceIndex }: Entry): string {
  return speaking.voices[voiceIndex]?.synthesizer.name ?? ''
}

function createProtocolFailure(message: string): SpeechFailure {
  return { kind: 'protocol', message, retryable: true }
}
