import { endsWithPhrase, getPhraseLength, splitWords } from '../words/split-words.ts'
import type { WordList } from '../words/word-list.ts'
import { type ExpectedAnswer, endsWithQuestionMark, getAnswerProgress } from './expected-answer.ts'

/** An estimate of whether the caller has finished. */
export interface EndOfTurnEstimate {
  /** Probability from 0 to 1. */
  readonly probability: number
  /** Whether the answer comes in groups (digits, letters) and may continue after a pause. */
  readonly isInGroups: boolean
}

interface EndOfTurnInput {
  readonly text: string
  readonly expectedAnswer: ExpectedAnswer
  /** The transcriber's own estimate, or `null` if unsupported. */
  readonly transcriberEstimate: number | null
  /** A turn detector's estimate from the audio, or `null` if there is none. */
  readonly detectorEstimate: number | null
  /** Whether the transcriber ends every text with a period, so that it proves nothing. */
  readonly punctuatesFragments: boolean
}

/** Minimum number of words in a sentence. Shorter texts may be the start of any sentence. */
const MIN_SENTENCE_WORDS = 3

/**
 * Estimates whether the caller has finished. Digit groups decide first, then the transcriber's own estimate. Otherwise, the text
 * and the turn detector count equally.
 */
export function estimateEndOfTurn(input: EndOfTurnInput, wordList: WordList): EndOfTurnEstimate {
  const { text, expectedAnswer, transcriberEstimate, detectorEstimate } = input
  const progress = getAnswerProgress(text, expectedAnswer, wordList)
  if (progress === 'unfinished') return { probability: 0.15, isInGroups: true }
  const isInGroups = progress === 'may-be-complete'
  if (transcriberEstimate !== null) return { probability: toProbability(transcriberEstimate), isInGroups }
  const textProbability = progress === 'not-in-groups' ? estimateFromText(input, wordList) : isInGroups ? 0.5 : 0.8
  if (detectorEstimate === null) return { probability: textProbability, isInGroups }
  return { probability: (textProbability + toProbability(detectorEstimate)) / 2, isInGroups }
}

function toProbability(estimate: number): number {
  return Math.min(1, Math.max(0, estimate))
}

/** Estimates from punctuation, phrasing, trailing words, fillers and the agent's question. */
function estimateFromText({ text, expectedAnswer, punctuatesFragments }: EndOfTurnInput, wordList: WordList): number {
  const evidence = punctuatesFragments ? text.trim().replace(/[.。]$/u, '') : text.trim()
  return estimateProbability(evidence, expectedAnswer, wordList)
}

function estimateProbability(text: string, expectedAnswer: ExpectedAnswer, wordList: WordList): number {
  const spokenWords = splitWords(text)
  if (spokenWords.length === 0) return 0
  if (endsWithQuestionMark(text)) return 0.9
  // Transcribers add a period when the audio stops, so a period after "and" has no meaning.
  if (endsWithPhrase(spokenWords, wordList.fillers) || endsWithPhrase(spokenWords, wordList.trailingWords)) {
    // "Si" can be a complete answer in French.
    return isShortAnswer(spokenWords, wordList) ? 0.5 : 0.1
  }
  if (/(…|\.\.\.|[,;:–—-])$/u.test(text)) return 0.15
  if (isShortAnswer(spokenWords, wordList)) return expectedAnswer === null ? 0.65 : 0.85
  if (endsWithPhrase(spokenWords, wordList.commands) && spokenWords.length <= MIN_SENTENCE_WORDS) return 0.4
  if (/[.!。！]["'”»)]*$/u.test(text)) return 0.75
  if (spokenWords.length < MIN_SENTENCE_WORDS) return expectedAnswer === null ? 0.4 : 0.55
  if (getPhraseLength(spokenWords, 0, wordList.questionStarts) > 0) return 0.65
  if (getPhraseLength(spokenWords, 0, wordList.requestStarts) > 0) return 0.6
  return 0.5
}

function isShortAnswer(spokenWords: readonly string[], wordList: WordList): boolean {
  let position = 0
  while (position < spokenWords.length) {
    const length = getPhraseLength(spokenWords, position, wordList.shortAnswers)
    if (length === 0) return false
    position += length
  }
  return true
}

/** Minimum probability for the shortest delay. */
const HIGH_PROBABILITY = { probability: 0.6, delayMs: 300 }
/** Below this probability, the speaker is probably in the middle of a sentence. */
const LOW_PROBABILITY = { probability: 0.3, delayMs: 1_500 }
const MAX_DELAY_MS = 3_000
/** Delay between groups of digits or letters. Speakers pause for up to 1200 ms, and their voice is detected 150 ms later. */
const GROUP_DELAY_MS = 1_350
/** Factor for the speaker's average pause. */
const AVERAGE_PAUSE_FACTOR = 1.5
const MAX_PAUSE_MS = 2_000

/** Returns the delay before the agent's responsiveness is applied. */
export function getDelayMs(probability: number): number {
  if (probability >= HIGH_PROBABILITY.probability) return HIGH_PROBABILITY.delayMs
  if (probability <= LOW_PROBABILITY.probability) {
    return interpolate(MAX_DELAY_MS, LOW_PROBABILITY.delayMs, probability / LOW_PROBABILITY.probability)
  }
  const fraction =
    (probability - LOW_PROBABILITY.probability) / (HIGH_PROBABILITY.probability - LOW_PROBABILITY.probability)
  return interpolate(LOW_PROBABILITY.delayMs, HIGH_PROBABILITY.delayMs, fraction)
}

export interface EndOfTurnWait {
  readonly estimate: EndOfTurnEstimate
  readonly lastVoiceAtMs: number
  readonly responseThresholdMs: number
  readonly responsivenessFactor: number
  /** Maximum delay of the final text. */
  readonly transcriberLimitMs: number
  /** Whether no transcriber will change the text. */
  readonly isFinal: boolean
  /** The speaker's average pause within turns, or `null` if unknown. */
  readonly averagePauseMs: number | null
}

/** Returns the time at which the turn ends unless voice or text arrives. */
export function getEndOfTurnAtMs(wait: EndOfTurnWait): number {
  const { estimate, averagePauseMs } = wait
  const delayMs = getDelayMs(estimate.probability) * wait.responsivenessFactor
  const groupDelayMs = estimate.isInGroups ? GROUP_DELAY_MS : 0
  const isConfident = estimate.probability >= HIGH_PROBABILITY.probability
  const pauseDelayMs =
    isConfident || averagePauseMs === null ? 0 : Math.min(MAX_PAUSE_MS, averagePauseMs * AVERAGE_PAUSE_FACTOR)
  const waitMs = Math.max(wait.responseThresholdMs, delayMs, groupDelayMs, pauseDelayMs)
  return wait.lastVoiceAtMs + Math.round(Math.max(waitMs, wait.isFinal ? 0 : wait.transcriberLimitMs))
}

const PAUSE_SMOOTHING = 0.9
const MIN_PAUSE_MS = 200

/** Updates a speaker's average pause, within bounds. */
export function updateAveragePause(averageMs: number | null, pauseMs: number): number {
  const boundedPauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pauseMs))
  return averageMs === null ? boundedPauseMs : averageMs * PAUSE_SMOOTHING + boundedPauseMs * (1 - PAUSE_SMOOTHING)
}

function interpolate(start: number, end: number, fraction: number): number {
  return Math.round(start + (end - start) * fraction)
}
