import type { Clock } from '../ports.ts'
import type { SpeechEvent, SpeechFailure, SpeechRequest, Synthesizer, TimedWord } from '../voice/ports.ts'

/** How a scripted voice speaks one request. */
export interface ScriptedSpeech {
  /** What it must be asked to say. */
  readonly expect?: string
  /** Until its first sound. */
  readonly delayMs?: number
  readonly msPerWord?: number
  /** Whether it tells when its words are spoken. */
  readonly withWords?: boolean
  /** Fails when it has made so many words; 0: at once. */
  readonly failsAfterWords?: number
  /** Falls silent for ever when it has made so many words. */
  readonly stallsAfterWords?: number
}

export interface ScriptedSynthesizer {
  readonly synthesizer: Synthesizer
  readonly requests: readonly SpeechRequest[]
  /** Every word that was made, in order: samples of word n have the value `wordSample(n)`. */
  readonly words: readonly string[]
  /** Throws when a step of the script was left over, or met other words than it expected. */
  assertConsumed(): void
}

const FIRST_SAMPLE = 1_000
/** Told apart by so much, so that a fade or a limiter does not turn one word into another. */
const SAMPLE_STEP = 4

/** The value of all samples of a word, by its place among all words of one voice. */
function wordSample(index: number): number {
  return FIRST_SAMPLE + index * SAMPLE_STEP
}

/** Which word a sample belongs to; `null`: none. */
export function wordOfSample(sample: number): number | null {
  return sample < FIRST_SAMPLE || sample % SAMPLE_STEP !== 0 ? null : (sample - FIRST_SAMPLE) / SAMPLE_STEP
}

/** Speaks by the script, one step for each request, and by `otherwise` once the script is over. Sound comes word by word, at once. */
export function scriptedSynthesizer(options: {
  readonly clock: Clock
  readonly name?: string
  readonly script?: readonly ScriptedSpeech[]
  readonly otherwise?: ScriptedSpeech
  /** Several voices may share one list, so that words are told apart across them. */
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
  await wait(clock, delayMs, signal)
  const spoken = text.split(/\s+/).filter((word) => word !== '')
  for (const [index, word] of spoken.entries()) {
    if (signal.aborted) return
    if (index === stallsAfterWords) await wait(clock, Number.POSITIVE_INFINITY, signal)
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

function wait(clock: Clock, durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || durationMs <= 0) {
      resolve()
      return
    }
    let cancel: () => void = () => {}
    const finish = (): void => {
      cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish, { once: true })
    if (Number.isFinite(durationMs)) cancel = clock.after(durationMs, finish)
  })
}
