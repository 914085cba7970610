import { Mixer } from '../../audio/mixer.ts'
import { Playout } from '../../audio/playout.ts'
import type { Clock } from '../../ports.ts'
import { prepareSpeech } from '../speaking/prepare-speech.ts'
import type { VoiceEffect, VoiceEvent } from '../turn-machine/events.ts'
import { AgentTurns } from './agent-turns.ts'
import { AudioOutput } from './audio-output.ts'
import type { CallHistory } from './call-history.ts'
import type { CallRecord } from './call-record.ts'
import type { Generations } from './generations.ts'
import { FILLER_KINDS, type LatencyTracker } from './latency-tracker.ts'
import type { SpeakingSettings, VoiceSessionOptions } from './session-ports.ts'
import type { CallerClock } from './speech-input.ts'
import { SynthesisQueue } from './synthesis-queue.ts'
import { createPlaybackTimeline, type HeardUtterance, type Utterance } from './utterances.ts'

/** The model pauses above this number of pending characters and resumes below `RESUME_PENDING_CHARACTERS`. */
const MAX_PENDING_CHARACTERS = 1_000
const RESUME_PENDING_CHARACTERS = 200

/** Kinds of utterances without a turn. A reply's turn is found through its generation. */
const TURNLESS_KINDS: ReadonlySet<Utterance['kind']> = new Set(['opening', 'say', 'reply'])

type Options = Pick<VoiceSessionOptions, 'leg' | 'recorder' | 'random'> & {
  readonly clock: Clock
  readonly record: CallRecord
  readonly history: CallHistory
  readonly generations: Generations
  readonly latency: LatencyTracker
  readonly callerClock: CallerClock
  readonly post: (event: VoiceEvent) => void
}

/** The output side of a call, from text to the speech that the caller heard. */
export class SpeechOutput {
  readonly #options: Options
  readonly #playout: Playout
  readonly #mixer: Mixer
  readonly #turns: AgentTurns
  readonly #speech: SynthesisQueue
  readonly audioOutput: AudioOutput
  #isFull = false

  constructor(options: Options) {
    this.#options = options
    const { clock, leg, record, random, latency } = options
    this.#playout = new Playout({ rateHz: leg.rateHz })
    this.#mixer = new Mixer({ rateHz: leg.rateHz, seed: Math.floor(random() * 2 ** 31) })
    this.#turns = new AgentTurns({ ...options, playout: this.#playout, reportsPlayed: leg.capabilities.reportsPlayed })
    this.#speech = new SynthesisQueue({
      clock,
      rateHz: leg.rateHz,
      playout: this.#playout,
      post: options.post,
      onFirstAudio: (utterance) => latency.recordFirstAudio(utterance),
      onUsage: (model, quantity, unit) => record.write({ type: 'usage', product: 'synthesis', model, quantity, unit }),
      onFailure: (model, failure) => record.recordVendorFailure('voice-failed', model, failure),
      onUtteranceFailed: (utteranceId) => {
        this.#turns.remove(utteranceId)
        options.generations.wake()
      },
      onEnded: (utteranceIds) => this.#handleEnded(utteranceIds),
    })
    this.audioOutput = new AudioOutput({
      ...options,
      playout: this.#playout,
      mixer: this.#mixer,
      onStarted: (utteranceIds, dueAtMs) => this.#handleStarted(utteranceIds, dueAtMs),
      onResumed: (repositioned, dueAtMs) => {
        for (const { utteranceId, offsetMs } of repositioned)
          this.#turns.get(utteranceId)?.timeline.resumeAt(offsetMs, dueAtMs)
      },
      onEnded: (utteranceIds) => this.#handleEnded(utteranceIds),
    })
  }

  /** Whether there is room for more generated text. */
  get hasRoom(): boolean {
    this.#isFull = this.#speech.pendingCharacters > (this.#isFull ? RESUME_PENDING_CHARACTERS : MAX_PENDING_CHARACTERS)
    return !this.#isFull
  }

  getHeard(utteranceId: string): HeardUtterance {
    return this.#turns.getHeard(utteranceId)
  }

  /** Applies volume and background sound. */
  applySettings({ volume, ambientSound, ambientVolume }: SpeakingSettings): void {
    this.#mixer.setVolume(volume)
    this.#mixer.setAmbient(ambientSound, ambientVolume)
  }

  setTyping(on: boolean): void {
    this.#mixer.setTyping(on)
  }

  speak(effect: Extract<VoiceEffect, { type: 'speak' }>, speaking: SpeakingSettings): void {
    const { utteranceId: id, generation, kind, text, fullText = null } = effect
    const { language, normalize, pronunciations } = speaking
    const { latency, history } = this.#options
    const prepared = prepareSpeech(text, { language, normalize, pronunciations })
    const turnId = TURNLESS_KINDS.has(kind) ? null : (latency.current?.turnId ?? null)
    const initialPlayback = { startedAtMs: null, endedAtMs: null, spokenUntil: null }
    const utterance: Utterance = {
      id,
      generation,
      turnId,
      kind,
      text,
      prepared,
      fullText,
      timeline: createPlaybackTimeline(),
      ...initialPlayback,
    }
    this.#turns.add(utterance)
    if (kind !== 'reply' && !FILLER_KINDS.has(kind)) history.addUtterance(id, fullText)
    latency.recordRequest(utterance)
    this.#speech.speak(utterance, speaking)
  }

  switchVoice(utteranceId: string): void {
    this.#speech.switchVoice(utteranceId)
  }

  /** Drops all pending speech. */
  clear(): void {
    this.#speech.clear()
    this.audioOutput.clear()
    this.#turns.clear()
    this.#options.generations.wake()
  }

  /** Records the agent's speech. */
  commit(interrupted: boolean): void {
    this.#turns.commit(interrupted)
  }

  /** Records pending speech before a later entry. */
  flush(): void {
    this.#turns.flush()
  }

  /** Handles a playback report. */
  handlePlaybackReport(playedSamples: number, capturedSamples: number): void {
    this.audioOutput.handleReport(playedSamples, capturedSamples)
    this.#turns.handlePosition(this.#options.callerClock.getTime(capturedSamples))
  }

  close(): void {
    this.#turns.close()
    this.#speech.clear()
  }

  #handleStarted(utteranceIds: readonly string[], dueAtMs: number): void {
    for (const utteranceId of utteranceIds) {
      const utterance = this.#turns.get(utteranceId)
      if (utterance === null) continue
      utterance.startedAtMs = dueAtMs
      utterance.timeline.resumeAt(0, dueAtMs)
      this.#options.latency.recordPlayback(utterance, dueAtMs)
      this.#speech.handleStarted(utteranceId)
      this.#turns.sendCaption(utterance)
      this.#options.post({ type: 'playout-started', utteranceId })
    }
  }

  #handleEnded(utteranceIds: readonly string[]): void {
    for (const utteranceId of utteranceIds) {
      const utterance = this.#turns.get(utteranceId)
      this.#speech.handleEnded(utteranceId)
      // A failed utterance was reported before.
      if (utterance === null) continue
      // An utterance without audio starts and ends immediately.
      if (utterance.startedAtMs === null) this.#handleStarted([utteranceId], this.#options.clock.now())
      utterance.endedAtMs = this.#options.clock.now()
      this.#options.post({ type: 'playout-ended', utteranceId })
    }
    this.#options.generations.wake()
  }
}
