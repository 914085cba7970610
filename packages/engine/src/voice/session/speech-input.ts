import type { Frame } from '../../audio/frame.ts'
import { VoiceActivity } from '../../audio/voice-activity/voice-activity.ts'
import type { Clock } from '../../ports.ts'
import type { LegEvents, SpeechProbability, TimedWord, VoiceClassifier } from '../ports.ts'
import { MAX_CONSUMED_UTTERANCES } from '../turn-machine/caller-turn.ts'
import type { VoiceEvent } from '../turn-machine/events.ts'
import { countSpacedWords, getTextAfterWords } from '../turn-machine/words/split-words.ts'
import type { CallRecord } from './call-record.ts'
import { CallTranscription, type SpeechHints, type TranscribedText } from './call-transcription.ts'
import type { VoiceSessionOptions } from './session-ports.ts'
import { TurnDetection } from './turn-detection.ts'

type Options = Pick<
  VoiceSessionOptions,
  'leg' | 'transcribers' | 'openClassifier' | 'openTurnDetector' | 'recorder'
> & {
  readonly clock: Clock
  readonly record: CallRecord
  readonly turns: CallerTurns
  readonly post: (event: VoiceEvent) => void
  /** Returns the current agent's hints. */
  readonly getHints: () => SpeechHints
  /** Returns the level of the agent's loudest audio sent since the last call, or `null` if none was sent. */
  readonly takePlayedDb: () => number | null
  /** Wraps a handler so that it does nothing after the end and its errors end the call. */
  readonly guard: (handler: (result: SpeechProbability) => void) => (result: SpeechProbability) => void
  /** Called when another transcriber takes over. */
  readonly onReplaced: () => void
}

/** Displayed to the caller. The caller's client may still recognize speech. */
const SPEECH_NOT_RECOGNIZED = 'Speech recognition is unavailable. You can type instead.'

/** The input side of a call: voice activity and transcription. */
export class SpeechInput {
  readonly callerClock: CallerClock
  readonly #options: Options
  readonly #voice: VoiceActivity
  /** Null before `open`. */
  #classifier: VoiceClassifier | null = null
  /** Null before `open` and without a turn detector. */
  #turnDetection: TurnDetection | null = null
  readonly #transcription: CallTranscription
  #isVoice = false

  constructor(options: Options) {
    this.#options = options
    const { leg, transcribers, getHints, clock, record } = options
    const { rateHz, leadMs, capabilities } = leg
    this.callerClock = createCallerClock(rateHz)
    this.#voice = new VoiceActivity({ rateHz, leadMs, cancelsEcho: capabilities.cancelsEcho })
    this.#transcription = new CallTranscription({
      transcribers,
      clock,
      rateHz,
      getHints,
      onText: (transcript) => this.#handleTranscript(transcript),
      onFailure: (model, failure) => record.recordVendorFailure('recogniser-failed', model, failure),
      onChange: (status) => this.#changeTranscriber(status),
      onUsage: (model, quantity) =>
        record.write({ type: 'usage', product: 'transcription', model, quantity, unit: 'second' }),
    })
  }

  /** Promised delay of the current transcriber, or `null` if there is none. */
  get transcriberP99Ms(): number | null {
    return this.#transcription.transcriber?.finalP99Ms ?? null
  }

  /** Maximum delay for which turns wait for the current transcriber. */
  get transcriberLimitMs(): number | null {
    const { transcriber } = this.#transcription
    return transcriber?.finalLimitMs ?? transcriber?.finalP99Ms ?? null
  }

  /** Whether the current transcriber ends every text with punctuation. */
  get punctuatesFragments(): boolean {
    return this.#transcription.transcriber?.punctuatesFragments === true
  }

  open(): void {
    const { leg, transcribers, openClassifier, openTurnDetector, guard, post } = this.#options
    this.#classifier = openClassifier(guard((result) => this.#handleProbability(result)))
    if (openTurnDetector !== undefined) {
      const { getSampleAt } = this.callerClock
      this.#turnDetection = new TurnDetection({ rateHz: leg.rateHz, getSampleAt, openTurnDetector, post })
    }
    this.#transcription.open()
    if (transcribers.length === 0 && !leg.capabilities.recognizesSpeech) this.handleRecognitionFailed()
  }

  /** Applies the current agent's hints. */
  refreshHints(): void {
    this.#transcription.refreshHints()
  }

  handleFrame(frame: Frame, startSample: number): void {
    const { clock, recorder, takePlayedDb } = this.#options
    const endSample = startSample + frame.length
    this.callerClock.recordFrame(endSample, clock.now())
    recorder?.recordCaller(frame, startSample)
    this.#transcription.push(frame)
    this.#turnDetection?.push(frame, startSample)
    const endMs = this.callerClock.getTime(endSample)
    this.#voice.pushFrame(frame, { endSample, endMs, playedDb: takePlayedDb() })
    this.#classifier?.push(frame, startSample)
  }

  /** Asks the turn detector, if there is one, whether the caller has finished. */
  estimateTurnEnd(pause: Parameters<TurnDetection['estimate']>[0]): void {
    this.#turnDetection?.estimate(pause)
  }

  /** Learns that the voice at a time is the caller's, because its words answered the agent. */
  confirmCaller(voiceAtMs: number): void {
    this.#voice.confirmCaller(voiceAtMs)
  }

  /** Handles client recognition, unless the server transcribes. */
  handleRecognized(event: Parameters<LegEvents['recognized']>[0]): void {
    if (this.#transcription.transcriber !== null) return
    const { utteranceId, text } = event
    const isFinal = event.type === 'final'
    const stage = isFinal ? 'final' : event.stable ? 'stable' : 'interim'
    const endOfTurn = isFinal ? event.endOfTurn : null
    this.#handleTranscript({ utteranceId: `own:${utteranceId}`, text, stage, endOfTurn, words: [] })
  }

  /** Handles a failure of client recognition. Without a transcriber, speech is no longer recognized. */
  handleRecognitionFailed(): void {
    if (this.#transcription.transcriber === null) this.#options.post({ type: 'transcriber', status: 'none' })
  }

  close(): void {
    this.#transcription.close()
    this.#classifier?.close()
    this.#turnDetection?.close()
  }

  #handleProbability(result: SpeechProbability): void {
    const voiceChange = this.#voice.pushProbability(result)
    if (voiceChange === null) return
    this.#options.post(voiceChange)
    if (voiceChange.type === 'voice-paused') return
    // The agent's own words are not transcribed.
    if (voiceChange.type === 'voice-started' && voiceChange.level === 'echo-like') return
    const wasVoice = this.#isVoice
    this.#isVoice = voiceChange.type === 'voice-started'
    if (voiceChange.type === 'voice-started' && !wasVoice) this.#transcription.voiceStarted(voiceChange.startedAtMs)
    else if (voiceChange.type === 'voice-ended' && wasVoice) this.#transcription.voiceEnded(voiceChange.lastVoiceAtMs)
  }

  #handleTranscript(transcript: TranscribedText): void {
    const { record, turns, clock, post } = this.#options
    turns.addText(transcript, clock.now())
    const { utteranceId, stage, endOfTurn } = transcript
    post({ type: 'transcript', utteranceId, text: transcript.text, stage, endOfTurn })
    // Empty if the text was ignored or ended the turn.
    const { captionId: id, text } = turns
    if (text !== '') record.sendCaption({ id, role: 'user', text, final: false, interrupted: false })
  }

  #changeTranscriber(status: 'replaced' | 'gone'): void {
    this.#options.post({ type: 'transcriber', status })
    if (status === 'replaced') this.#options.onReplaced()
    else this.#options.record.notify({ type: 'warning', code: 'speech_not_recognised', message: SPEECH_NOT_RECOGNIZED })
  }
}

/** Length of a window, which contains at least some frames without extra delay. */
const WINDOW_MS = 2_000
/** Maximum network delay, equal to the time for which a lost connection is kept. A longer gap is a stall. */
const MAX_NETWORK_DELAY_MS = 15_000
/** Longer gaps do not count toward the window. */
const MAX_STEP_MS = 100

export type CallerClock = ReturnType<typeof createCallerClock>

/**
 * Creates a clock that maps the caller's samples to recording times on the server clock, regardless of frame delays. Assumes
 * that the fastest recent frames had no extra delay. Recovers from a stalled device after four seconds of frames.
 */
export function createCallerClock(rateHz: number) {
  let originMs: number | null = null
  let lastMs = Number.NEGATIVE_INFINITY
  // Fastest frame of this window and of the previous one.
  let fastestMs = Number.POSITIVE_INFINITY
  let previousFastestMs = Number.POSITIVE_INFINITY
  let windowMs = 0
  const toMs = (samples: number): number => (samples * 1_000) / rateHz

  function openWindow(previousMs: number): void {
    previousFastestMs = previousMs
    fastestMs = Number.POSITIVE_INFINITY
    windowMs = 0
  }

  return {
    /** Records the arrival of a frame that ends at this sample. */
    recordFrame(endSample: number, nowMs: number): void {
      const stepMs = nowMs - lastMs
      lastMs = nowMs
      windowMs += Math.min(stepMs, MAX_STEP_MS)
      if (stepMs > MAX_NETWORK_DELAY_MS) openWindow(Number.POSITIVE_INFINITY)
      else if (windowMs > WINDOW_MS) openWindow(fastestMs)
      fastestMs = Math.min(fastestMs, nowMs - toMs(endSample))
      originMs = Math.min(fastestMs, previousFastestMs)
    },
    /** Returns a sample's recording time in whole milliseconds. */
    getTime: (sample: number): number => Math.round((originMs ?? 0) + toMs(sample)),
    /** Returns the sample recorded at a time, or 0 before the first frame. */
    getSampleAt: (timeMs: number): number =>
      originMs === null ? 0 : Math.max(0, Math.round(((timeMs - originMs) * rateHz) / 1_000)),
  }
}

interface FinalText {
  readonly words: readonly TimedWord[]
  readonly atMs: number
}

/** The text and times of a spoken turn. */
interface SpokenTurn {
  readonly words: readonly TimedWord[]
  readonly finalTextAtMs: number | null
}

/** Collects the text and word times of the caller's turn until the turn is committed. */
export class CallerTurns {
  #count = 0
  readonly #texts = new Map<string, string>()
  /** Final texts of the current turn by utterance. */
  readonly #finalTexts = new Map<string, FinalText>()
  /** Number of words per utterance that earlier turns consumed. */
  readonly #consumedWords = new Map<string, number>()

  /** Caption ID of the current turn. */
  get captionId(): string {
    return `user-${this.#count}`
  }

  /** Text of the current turn. */
  get text(): string {
    return [...this.#texts.values()].join(' ')
  }

  /** Adds a text and returns the entire turn so far. */
  addText({ utteranceId, text: fullText, stage, words }: TranscribedText, nowMs: number): string {
    const consumedWords = this.#consumedWords.get(utteranceId) ?? 0
    const text = getTextAfterWords(fullText, consumedWords)
    if (text === '') this.#texts.delete(utteranceId)
    else this.#texts.set(utteranceId, text)
    if (stage === 'final' && text !== '') {
      this.#finalTexts.set(utteranceId, { words: words.slice(consumedWords), atMs: nowMs })
    }
    return this.text
  }

  /** Excludes an utterance's text so far from the turn. Words that follow in the same utterance count again. */
  ignore(utteranceId: string): void {
    this.#consume(utteranceId, this.#texts.get(utteranceId) ?? '')
    this.#texts.delete(utteranceId)
    this.#finalTexts.delete(utteranceId)
  }

  /** Returns the finished turn and starts the next one. */
  takeTurn(): SpokenTurn {
    const finalTexts = [...this.#finalTexts.values()]
    const turn = { words: finalTexts.flatMap(({ words }) => words), finalTextAtMs: finalTexts.at(-1)?.atMs ?? null }
    this.#count += 1
    for (const [utteranceId, text] of this.#texts) this.#consume(utteranceId, text)
    this.#texts.clear()
    this.#finalTexts.clear()
    return turn
  }

  #consume(utteranceId: string, text: string): void {
    const wordCount = (this.#consumedWords.get(utteranceId) ?? 0) + countSpacedWords(text)
    // Keep the newest entry last.
    this.#consumedWords.delete(utteranceId)
    this.#consumedWords.set(utteranceId, wordCount)
    const expiredIds = [...this.#consumedWords.keys()].slice(0, -MAX_CONSUMED_UTTERANCES)
    for (const expiredId of expiredIds) this.#consumedWords.delete(expiredId)
  }
}
