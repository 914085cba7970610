import type { Frame } from '../../audio/frame.ts'
import { createVoiceActivity, type VoiceActivity } from '../../audio/voice-activity.ts'
import type { Clock } from '../../ports.ts'
import type { LegEvents } from '../ports.ts'
import type { VoiceEvent } from '../turn-machine/events.ts'
import type { CallRecord } from './call-record.ts'
import { CallTranscription, type SpeechHints, type TranscribedText } from './call-transcription.ts'
import { type CallerClock, createCallerClock } from './caller-clock.ts'
import type { CallerTurns } from './caller-turns.ts'
import type { VoiceSessionOptions } from './session-ports.ts'

type Options = Pick<VoiceSessionOptions, 'leg' | 'transcribers' | 'classifier' | 'recorder'> & {
  readonly clock: Clock
  readonly record: CallRecord
  readonly turns: CallerTurns
  readonly post: (event: VoiceEvent) => void
  /** The language and words of who holds the conversation. */
  readonly getHints: () => SpeechHints
  /** How loud the agent is right now; `null`: silent, or no echo comes back. */
  readonly playedDb: () => number | null
  /** Another recogniser listens, with other habits. */
  readonly onReplaced: () => void
}

/** Shown to the caller, whose own end may still recognise. */
const SPEECH_NOT_RECOGNIZED = 'Your speech cannot be recognised any more. You can write instead.'

/** The agent's side of listening: when the caller speaks, and what is said. */
export class SpeechInput {
  readonly callerClock: CallerClock
  readonly #options: Options
  readonly #voice: VoiceActivity
  readonly #transcription: CallTranscription
  #isVoice = false

  constructor(options: Options) {
    this.#options = options
    const { leg, transcribers, classifier, getHints, clock, record } = options
    this.callerClock = createCallerClock(leg.rateHz)
    this.#voice = createVoiceActivity({ classifier, rateHz: leg.rateHz })
    this.#transcription = new CallTranscription({
      transcribers,
      clock,
      rateHz: leg.rateHz,
      getHints,
      onText: (heard) => this.#handleTranscript(heard),
      onFailure: (model, failure) => record.vendorFailed('recogniser-failed', model, failure),
      onChange: (status) => this.#change(status),
      onUsage: (model, quantity) =>
        record.write({ type: 'usage', product: 'transcription', model, quantity, unit: 'second' }),
    })
  }

  /** How long the recogniser at work may take; `null`: there is none. */
  get transcriberP99Ms(): number | null {
    return this.#transcription.transcriber?.finalP99Ms ?? null
  }

  open(): void {
    const { leg, transcribers } = this.#options
    this.#transcription.open()
    if (transcribers.length === 0 && !leg.capabilities.recognizesSpeech) this.recognitionFailed()
  }

  /** Another agent holds the conversation. */
  refreshHints(): void {
    this.#transcription.refreshHints()
  }

  frame(frame: Frame, startSample: number): void {
    const { leg, clock, recorder } = this.#options
    const endSample = startSample + frame.length
    this.callerClock.note(endSample, clock.now())
    recorder?.caller(frame, startSample)
    if (!leg.capabilities.cancelsEcho) this.#voice.echoReference(this.#options.playedDb())
    this.#transcription.push(frame)
    const change = this.#voice.push(frame, this.callerClock.timeOf(endSample))
    if (change === null) return
    if (change.type === 'voice-ended') this.#transcription.voiceEnded(change.lastVoiceAtMs)
    else if (!this.#isVoice) this.#transcription.voiceStarted(change.sinceMs)
    this.#isVoice = change.type === 'voice-started'
    this.#options.post(change)
  }

  /** What the caller's own end recognised counts where nobody here listens. */
  recognized(event: Parameters<LegEvents['recognized']>[0]): void {
    if (this.#transcription.transcriber !== null) return
    const { utteranceId, text } = event
    const isFinal = event.type === 'final'
    const stage = isFinal ? 'final' : event.stable ? 'stable' : 'interim'
    const endOfTurn = isFinal ? event.endOfTurn : null
    this.#handleTranscript({ utteranceId: `own:${utteranceId}`, text, stage, endOfTurn, words: [] })
  }

  /** Of the caller's own end; without a recogniser here nobody understands speech. */
  recognitionFailed(): void {
    if (this.#transcription.transcriber === null) this.#options.post({ type: 'transcriber', status: 'none' })
  }

  close(): void {
    this.#transcription.close()
    this.#voice.close()
  }

  #handleTranscript(heard: TranscribedText): void {
    const { record, turns, clock, post } = this.#options
    const text = turns.heard(heard, clock.now())
    if (text !== '') record.caption({ id: turns.captionId, role: 'user', text, final: false, interrupted: false })
    const { utteranceId, stage, endOfTurn } = heard
    post({ type: 'transcript', utteranceId, text: heard.text, stage, endOfTurn })
  }

  #change(status: 'replaced' | 'gone'): void {
    this.#options.post({ type: 'transcriber', status })
    if (status === 'replaced') this.#options.onReplaced()
    else this.#options.record.notify({ type: 'warning', code: 'speech_not_recognised', message: SPEECH_NOT_RECOGNIZED })
  }
}
