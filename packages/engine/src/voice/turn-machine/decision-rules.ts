import type { TurnSettings } from './settings.ts'

const MIN_SPEECH_MS = 3_000
const BACKCHANNEL_DELAY_MS = { min: 250, max: 450 }
const MIN_BACKCHANNEL_INTERVAL_MS = 6_000
const MAX_END_PROBABILITY = 0.3

interface SpeakerPause {
  readonly speechMs: number
  readonly lastVoiceAtMs: number
  readonly probability: number
  readonly lastBackchannelAtMs: number | null
}

/** Returns the time at which the agent may say a backchannel in this pause, or `null` for never. */
export function getBackchannelAtMs(pause: SpeakerPause): number | null {
  if (pause.speechMs < MIN_SPEECH_MS || pause.probability >= MAX_END_PROBABILITY) return null
  const atMs = pause.lastVoiceAtMs + BACKCHANNEL_DELAY_MS.min
  const { lastBackchannelAtMs } = pause
  return lastBackchannelAtMs !== null && atMs - lastBackchannelAtMs < MIN_BACKCHANNEL_INTERVAL_MS ? null : atMs
}

/** Whether a pause has lasted too long for a backchannel. */
export function isTooLateForBackchannel(lastVoiceAtMs: number, nowMs: number): boolean {
  return nowMs - lastVoiceAtMs > BACKCHANNEL_DELAY_MS.max
}

const MAX_DIGITS = 50

interface KeypadInput {
  readonly text: string
  readonly isComplete: boolean
}

/** Appends a key to the keypad input. The termination key completes the input and is not included. */
export function appendDigit(digits: string, digit: string, settings: TurnSettings['dtmf']): KeypadInput {
  if (digit === settings.terminationKey) return { text: digits, isComplete: digits !== '' }
  const text = `${digits}${digit}`.slice(0, MAX_DIGITS)
  return { text, isComplete: text.length >= Math.min(MAX_DIGITS, settings.digitLimit ?? MAX_DIGITS) }
}

/** The action to take when an answer is late. */
type ReplyTimeoutAction = 'filler' | 'next-attempt' | 'give-up'

const REPLY_TIMEOUT_ACTIONS: readonly { readonly action: ReplyTimeoutAction; readonly afterMs: number }[] = [
  { action: 'filler', afterMs: 4_000 },
  { action: 'next-attempt', afterMs: 8_000 },
  { action: 'give-up', afterMs: 12_000 },
]

/** Index of the last attempt. The first attempt is 0. */
export const LAST_ATTEMPT = 2
/** Minimum time before an attempt is replaced. */
const MIN_ATTEMPT_MS = 4_000

/** Returns the next action and its delay, or `null` after the last action. */
export function getReplyTimeoutAction(
  actionsTaken: number,
): { readonly action: ReplyTimeoutAction; readonly afterMs: number } | null {
  return REPLY_TIMEOUT_ACTIONS[actionsTaken] ?? null
}

/** Whether the next attempt may replace one that does not answer. */
export function canRetry(attempt: number, runningForMs: number): boolean {
  return attempt < LAST_ATTEMPT && runningForMs >= MIN_ATTEMPT_MS
}

const MAX_SPECULATIONS = 3
const MAX_SPEECH_MS = 10_000

interface SpeculationInput {
  readonly attempts: number
  readonly speechMs: number
  /** Whether the transcriber is unlikely to change the text. */
  readonly isStable: boolean
  readonly isToolRunning: boolean
}

/** Whether a speculative answer may start before the turn has ended. */
export function isSpeculationAllowed({ attempts, speechMs, isStable, isToolRunning }: SpeculationInput): boolean {
  return isStable && !isToolRunning && attempts < MAX_SPECULATIONS && speechMs <= MAX_SPEECH_MS
}

/** Transcribers with a longer delay report only after the caller has stopped speaking. */
const SLOW_TRANSCRIBER_MS = 700
const MAX_UNTRANSCRIBED_MS = 5_000
/** Maximum audio duration that slow transcribers process. Longer voice is noise. */
const MAX_VOICE_MS = 30_000
/** Maximum gap between words for slow transcribers. */
const MAX_WORD_GAP_MS = 12_000
const TRANSCRIPT_MARGIN_MS = 500
/** Duration without words that shows that continuing voice is not the caller's, and the one after a complete sentence. */
const WORDLESS_MS = 1_500
const LIKELY_END_WORDLESS_MS = 900
const LIKELY_END = 0.6
const FIRST_TEXT_FACTOR = 2

interface UntranscribedVoice {
  readonly startedAtMs: number
  readonly isActive: boolean
  readonly lastVoiceAtMs: number
  readonly transcriberP99Ms: number
  /** Time at which a fallback transcriber started to transcribe the voice again, or `null`. */
  readonly retranscribingSinceMs: number | null
}

/** Returns the time at which voice without text counts as noise. */
export function getNoiseAtMs(voice: UntranscribedVoice): number {
  const { startedAtMs, isActive, lastVoiceAtMs, transcriberP99Ms, retranscribingSinceMs } = voice
  if (isActive) return startedAtMs + (isSlowTranscriber(transcriberP99Ms) ? MAX_VOICE_MS : MAX_UNTRANSCRIBED_MS)
  return Math.max(
    startedAtMs + MAX_UNTRANSCRIBED_MS,
    getTranscriptDueAtMs(retranscribingSinceMs ?? lastVoiceAtMs, transcriberP99Ms),
  )
}

interface WordlessVoice {
  readonly transcriberP99Ms: number
  /** Whether all text is final. */
  readonly isFinal: boolean
  /** Probability that the caller has finished. */
  readonly probability: number
  /** Whether the transcriber sends words during speech. */
  readonly isStreaming: boolean
  /** Usual delay of the first words of voice that started after the text, or 0 for other voice. */
  readonly firstTextDelayMs: number
}

/**
 * Returns how long voice may continue without new words before it counts as noise. After final text, the words of a caller who
 * keeps speaking would arrive soon.
 */
export function getMaxWordlessVoiceMs(voice: WordlessVoice): number {
  const { transcriberP99Ms, isFinal, probability, isStreaming, firstTextDelayMs } = voice
  if (!isStreaming && isSlowTranscriber(transcriberP99Ms)) return MAX_WORD_GAP_MS
  if (!isStreaming || !isFinal) return MAX_UNTRANSCRIBED_MS
  return getMaxWaitForWordsMs(firstTextDelayMs, probability >= LIKELY_END ? LIKELY_END_WORDLESS_MS : WORDLESS_MS)
}

/** Returns how long voice without words from a streaming transcriber may continue before it counts as noise. */
export function getMaxWaitForWordsMs(firstTextDelayMs: number, minMs = WORDLESS_MS): number {
  return Math.min(MAX_UNTRANSCRIBED_MS, Math.max(minMs, Math.round(firstTextDelayMs * FIRST_TEXT_FACTOR)))
}

/** Whether the transcriber reports only after the caller has stopped speaking. */
export function isSlowTranscriber(transcriberP99Ms: number): boolean {
  return transcriberP99Ms > SLOW_TRANSCRIBER_MS
}

/** Returns the latest time at which the text of ended voice can arrive. */
export function getTranscriptDueAtMs(voiceEndedAtMs: number, transcriberP99Ms: number): number {
  return voiceEndedAtMs + transcriberP99Ms + TRANSCRIPT_MARGIN_MS
}
