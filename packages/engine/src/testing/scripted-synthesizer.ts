import type { Clock } from '../ports.ts'
import type { SpeechEvent, SpeechFailure, SpeechRequest, Synthesizer, TimedWord } from '../voice/ports.ts'
import { pause } from './manual-clock.ts'

/** How a scripted voice handles one request. */
export interface ScriptedSpeech {
  /** Expected text. */
  readonly expect?: string
  /** Time to the first audio. */
  readonly delayMs?: number
  readonly msPerWord?: number
  /** Whether it reports word times. */
  readonly withWords?: boolean
  /** Fails after this many words; 0 means at once. */
  readonly failsAfterWords?: number
  /** Hangs after this many words. */
  readonly stallsAfterWords?: number
}

export interface ScriptedSynthesizer {
  readonly synthesizer: Synthesizer
  readonly requests: readonly SpeechRequest[]
  /** Every synthesized word, in order: samples of word n have the value `wordSample(n)`. */
  readonly words: readonly string[]
  /** Throws if a step was left over or a request had an unexpected text. */
  assertConsumed(): void
}

const FIRST_SAMPLE = 1_000
/** Spacing that keeps words distinguishable after a fade or a limiter. */
const SAMPLE_STEP = 4

/** The sample value of a word, by its index among all words. */
function wordSample(index: number): number {
  return FIRST_SAMPLE + index * SAMPLE_STEP
}

/** Index of the word that a sample belongs to; `null` for none. */
export function wordOfSample(sample: number): number | null {
  return sample < FIRST_SAMPLE || sample % SAMPLE_STEP !== 0 ? null : (sample - FIRST_SAMPLE) / SAMPLE_STEP
}

/** Speaks by the script, one step per request, then by `otherwise`. Audio arrives word by word without pauses. */
export function scriptedSynthesizer(options: {
  readonly clock: Clock
  readonly name?: string
  readonly script?: readonly ScriptedSpeech[]
  readonly otherwise?: ScriptedSpeech
  /** Share this list between voices to distinguish their words. */
  readonly words?: string[]
}): ScriptedSynthesizer {
  const { clock, name = 'scripted/voice', script = [], otherwise = {}, words = [] } = options
  const requests: SpeechRequest[] = []
  const problems: string[] = []
  const synthesizer: Synthesizer = {
    name,
    synthesize(request) {
      const step = script[requests.length] ?? otherwise
      requests.push(request)
      if (step.expect !== undefined && step.expect !== request.text) {
        problems.push(`${name}: expected "${step.expect}", was asked for "${request.text}".`)
      }
      return speak(request, step, { clock, words })
    },
  }
  const assertConsumed = (): void => {
    for (const problem of problems) throw new Error(problem)
    const left = script.length - requests.length
    if (left > 0) throw new Error(`${name}: ${left} steps were left over.`)
  }
  return { synthesizer, requests, words, assertConsumed }
}

const FAILURE: SpeechFailure = { kind: 'unavailable', message: 'The voice went away.', retryable: true }

async function* speak(
  { text, rateHz, signal }: SpeechRequest,
  step: ScriptedSpeech,
  { clock, words: all }: { readonly clock: Clock; readonly words: string[] },
): AsyncGenerator<SpeechEvent> {
  const { delayMs = 50, msPerWord = 250, withWords = true, failsAfterWords, stallsAfterWords } = step
  if (delayMs > 0) await pause(delayMs, signal, clock)
  const spoken = text.split(/\s+/).filter((word) => word !== '')
  for (const [index, word] of spoken.entries()) {
    if (signal.aborted) return
    if (index === stallsAfterWords) await pause(Number.POSITIVE_INFINITY, signal, clock)
    if (signal.aborted) return
    if (index === failsAfterWords) {
      yield { type: 'failed', failure: FAILURE }
      return
    }
    const samples = new Int16Array((rateHz * msPerWord) / 1_000).fill(wordSample(all.length))
    all.push(word)
    const timed: TimedWord = { text: word, startMs: index * msPerWord, endMs: (index + 1) * msPerWord }
    if (withWords) yield { type: 'words', words: [timed] }
    yield { type: 'audio', samples }
  }
  if (!signal.aborted) yield { type: 'end' }
}
