import type { Clock } from '../ports.ts'
import type { SpeechEvent, SpeechFailure, SpeechRequest, Synthesizer, TimedWord } from '../voice/ports.ts'
import { waitFor } from './manual-clock.ts'

/** How the scripted voice handles one request. */
export interface ScriptedSpeech {
  /** Expected text. */
  readonly expect?: string
  /** Time to the first audio. */
  readonly delayMs?: number
  readonly msPerWord?: number
  /** Whether the voice reports word times. */
  readonly withWords?: boolean
  /** Number of words after which the voice fails. 0 fails immediately. */
  readonly failsAfterWords?: number
  /** Number of words after which the voice hangs. */
  readonly stallsAfterWords?: number
  /** Whether each word arrives only when the one before has been spoken. */
  readonly isPaced?: boolean
}

export interface ScriptedSynthesizer {
  readonly synthesizer: Synthesizer
  readonly requests: readonly SpeechRequest[]
  /** All synthesized words in order. Each word has its own sample value. */
  readonly words: readonly string[]
  /** Throws if a step was not used or a request had an unexpected text. */
  assertConsumed(): void
}

const FIRST_SAMPLE = 1_000
/** Spacing that keeps words distinguishable after a fade or a limiter. */
const SAMPLE_STEP = 4

/** Returns a word's sample value by its index among all words. */
function getWordSample(index: number): number {
  return FIRST_SAMPLE + index * SAMPLE_STEP
}

/** Returns the index of the word that a sample encodes, or `null` for other samples. */
export function findWordIndex(sample: number): number | null {
  return sample < FIRST_SAMPLE || sample % SAMPLE_STEP !== 0 ? null : (sample - FIRST_SAMPLE) / SAMPLE_STEP
}

/** Creates a voice with one script step per request, followed by `defaultStep`. Audio arrives word by word, without pauses by default. */
export function createScriptedSynthesizer(options: {
  readonly clock: Clock
  readonly name?: string
  readonly script?: readonly ScriptedSpeech[]
  readonly defaultStep?: ScriptedSpeech
  /** Share this list between voices to distinguish their words. */
  readonly words?: string[]
}): ScriptedSynthesizer {
  const { clock, name = 'scripted/voice', script = [], defaultStep = {}, words = [] } = options
  const requests: SpeechRequest[] = []
  const problems: string[] = []
  const synthesizer: Synthesizer = {
    name,
    synthesize(request) {
      const step = script[requests.length] ?? defaultStep
      requests.push(request)
      if (step.expect !== undefined && step.expect !== request.text) {
        problems.push(`${name}: expected "${step.expect}", received "${request.text}".`)
      }
      return streamSpeech(request, step, { clock, words })
    },
  }
  const assertConsumed = (): void => {
    for (const problem of problems) throw new Error(problem)
    const unusedSteps = script.length - requests.length
    if (unusedSteps > 0) throw new Error(`${name}: ${unusedSteps} steps were not used.`)
  }
  return { synthesizer, requests, words, assertConsumed }
}

const FAILURE: SpeechFailure = { kind: 'unavailable', message: 'The voice is unavailable.', retryable: true }

async function* streamSpeech(
  { text, rateHz, signal }: SpeechRequest,
  step: ScriptedSpeech,
  { clock, words: wordList }: { readonly clock: Clock; readonly words: string[] },
): AsyncGenerator<SpeechEvent> {
  const { delayMs = 50, msPerWord = 250, withWords = true, failsAfterWords, stallsAfterWords, isPaced = false } = step
  if (delayMs > 0) await waitFor(delayMs, signal, clock)
  const requestWords = text.split(/\s+/).filter((word) => word !== '')
  for (const [index, word] of requestWords.entries()) {
    if (signal.aborted) return
    if (index === stallsAfterWords) await waitFor(Number.POSITIVE_INFINITY, signal, clock)
    if (signal.aborted) return
    if (index === failsAfterWords) {
      yield { type: 'failed', failure: FAILURE }
      return
    }
    const samples = new Int16Array((rateHz * msPerWord) / 1_000).fill(getWordSample(wordList.length))
    wordList.push(word)
    const timedWord: TimedWord = { text: word, startMs: index * msPerWord, endMs: (index + 1) * msPerWord }
    if (withWords) yield { type: 'words', words: [timedWord] }
    yield { type: 'audio', samples }
    if (isPaced) await waitFor(msPerWord, signal, clock)
  }
  if (!signal.aborted) yield { type: 'end' }
}
