import { getPhraseLength, splitWords } from './words/split-words.ts'
import type { WordList } from './words/word-list.ts'

/**
 * The kind of caller speech over the agent. `backchannel` lets the agent continue, `answer` is a backchannel word that answers
 * a question, and `command` stops the agent. `undecided` words may still become a backchannel.
 */
export type InterruptionKind = 'backchannel' | 'answer' | 'command' | 'interruption' | 'undecided'

interface InterruptionText {
  readonly text: string
  /** Whether the transcriber may still add words. */
  readonly isInterim: boolean
  readonly agentName: string
  /** Whether the agent's last words are a question. */
  readonly isAfterQuestion: boolean
}

const MAX_BACKCHANNEL_WORDS = 3

/** Classifies caller speech during or right after the agent's speech. */
export function classifyInterruption(speech: InterruptionText, wordList: WordList): InterruptionKind {
  const spokenWords = splitWords(speech.text)
  const { isComplete, couldContinue } = matchBackchannels(spokenWords, wordList)
  if (isComplete) return speech.isAfterQuestion ? 'answer' : 'backchannel'
  if (couldContinue && speech.isInterim) return 'undecided'
  return isCommand(spokenWords, speech.agentName, wordList) ? 'command' : 'interruption'
}

interface BackchannelMatch {
  /** Whether all words are backchannels, at most three. */
  readonly isComplete: boolean
  /** Whether more letters or words could make all of them backchannels, as "I" becomes "I see". */
  readonly couldContinue: boolean
}

function matchBackchannels(spokenWords: readonly string[], { backchannels }: WordList): BackchannelMatch {
  const wordCount = spokenWords.length
  if (wordCount === 0 || wordCount > MAX_BACKCHANNEL_WORDS) return { isComplete: false, couldContinue: false }
  // Positions up to which the words can be split into backchannels.
  const positions = new Set([0])
  let couldContinue = false
  for (let start = 0; start < wordCount; start += 1) {
    if (!positions.has(start)) continue
    couldContinue ||= startsPhrase(spokenWords.slice(start).join(' '), backchannels)
    for (let end = start + 1; end <= wordCount; end += 1)
      if (backchannels.has(spokenWords.slice(start, end).join(' '))) positions.add(end)
  }
  return { isComplete: positions.has(wordCount), couldContinue }
}

/** Whether a text is the beginning of one of the phrases. */
function startsPhrase(text: string, phrases: ReadonlySet<string>): boolean {
  for (const phrase of phrases) if (phrase.startsWith(text)) return true
  return false
}

/** Whether the first words are a command or the agent's name. */
export function isCommand(spokenWords: readonly string[], agentName: string, wordList: WordList): boolean {
  if (getPhraseLength(spokenWords, 0, wordList.commands) > 0) return true
  const nameWords = splitWords(agentName)
  return nameWords.length > 0 && nameWords.every((word, index) => spokenWords[index] === word)
}

/** Attenuation of the agent's voice in decibels while a caller may be interrupting. */
export type DuckingDb = 0 | 6 | 9

/** Duration of speech after which the agent gets quieter still. */
export const DEEP_DUCKING_AFTER_MS = 300

/** Returns the attenuation for speech over the agent that may be an interruption. */
export function getDuckingDb(speechMs: number): DuckingDb {
  return speechMs < DEEP_DUCKING_AFTER_MS ? 6 : 9
}

/** Backchannels last no longer than this. */
const MAX_BACKCHANNEL_MS = 1_500
/** Time for the first words of a slow transcriber to arrive, beyond its usual delay. */
const FIRST_TEXT_MARGIN_MS = 100
/** Words that arrive later do not belong to the start of the speech. */
const MAX_FIRST_TEXT_DELAY_MS = 1_100

interface OverlappingSpeech {
  /** Duration of speech without words that stops the agent. */
  readonly interruptionAfterMs: number
  /** The transcriber's usual delay from the start of speech to the first words, or `null` if unknown. */
  readonly firstTextDelayMs: number | null
  /** Whether all words so far are backchannels. */
  readonly isBackchannel: boolean
}

/** Returns the duration after which continuous speech stops the agent without other words. */
export function getMaxOverlapMs({ interruptionAfterMs, firstTextDelayMs, isBackchannel }: OverlappingSpeech): number {
  if (isBackchannel) return MAX_BACKCHANNEL_MS
  if (firstTextDelayMs === null) return interruptionAfterMs
  return Math.max(interruptionAfterMs, Math.round(firstTextDelayMs) + FIRST_TEXT_MARGIN_MS)
}

/** Speech shorter than this duration contains no words that could stop the agent. */
const MAX_COUGH_MS = 300
/** Bounds of the wait for the text of speech that has ended. */
const MIN_TEXT_WAIT_MS = 200
const MAX_TEXT_WAIT_MS = 2_500
const TEXT_WAIT_FACTOR = 1.25

interface EndedSpeech {
  readonly startedAtMs: number
  readonly lastVoiceAtMs: number
  /** The transcriber's usual delay from the end of speech to the final text. */
  readonly finalDelayMs: number
}

/** Returns the time at which a stopped agent continues if the caller's speech produces no text. */
export function getResumeAtMs({ startedAtMs, lastVoiceAtMs, finalDelayMs }: EndedSpeech): number {
  if (lastVoiceAtMs - startedAtMs < MAX_COUGH_MS) return lastVoiceAtMs
  const waitMs = Math.min(MAX_TEXT_WAIT_MS, Math.max(MIN_TEXT_WAIT_MS, finalDelayMs * TEXT_WAIT_FACTOR))
  return lastVoiceAtMs + Math.round(waitMs)
}

/** Weight of earlier measurements of a transcriber's delay. */
const DELAY_SMOOTHING = 0.8

/** Updates a transcriber's usual delay. A longer delay counts fully, so that slow responses are not missed. */
export function updateDelay(usualMs: number | null, delayMs: number): number {
  const boundedMs = Math.max(0, delayMs)
  if (usualMs === null || boundedMs > usualMs) return boundedMs
  return usualMs * DELAY_SMOOTHING + boundedMs * (1 - DELAY_SMOOTHING)
}

/** Updates a transcriber's average delay of the first words. Noise before the speech makes it seem longer than possible. */
export function updateFirstTextDelay(averageMs: number | null, delayMs: number): number | null {
  if (delayMs > MAX_FIRST_TEXT_DELAY_MS) return averageMs
  return averageMs === null ? delayMs : averageMs * DELAY_SMOOTHING + delayMs * (1 - DELAY_SMOOTHING)
}

/** A transcriber that updates its text within this time sends words while the caller speaks. */
const MAX_STREAMING_GAP_MS = 1_000

/** Whether a time between two texts of an utterance shows that the transcriber sends words while the caller speaks. */
export function isStreamingGap(gapMs: number): boolean {
  return gapMs <= MAX_STREAMING_GAP_MS
}
