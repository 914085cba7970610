import type { GenerationInput } from './events.ts'
import { clearSpeech, commitSpeech, speakSystemText, systemPhrases } from './speech.ts'
import type { Generation } from './state.ts'
import { change, emit, note, type Step } from './step.ts'

/** Cancelled generations whose last words may still be on their way are few. */
const MAX_COMMITTED_GENERATIONS = 8

export interface NewGeneration {
  readonly input: GenerationInput
  readonly answers: Generation['answers']
  readonly turn: number | null
  readonly attempt?: number
}

/** Asks for an answer that counts. */
export function startGeneration(step: Step, { input, answers, turn, attempt = 0 }: NewGeneration): void {
  const id = step.state.nextGeneration
  emit(step, { type: 'start-generation', generation: id, input, speculative: false, attempt })
  change(step, { nextGeneration: id + 1 })
  activateGeneration(step, { id, answers, turn, attempt, startedAtMs: step.nowMs })
}

/** Makes a generation the one that counts. */
export function activateGeneration(
  step: Step,
  generation: Pick<Generation, 'id' | 'answers' | 'turn' | 'attempt' | 'startedAtMs'>,
): void {
  change(step, {
    generation: {
      ...generation,
      outcome: 'running',
      tools: [],
      hasSpoken: false,
      hasActed: false,
      isLast: false,
    },
    committed: [...step.state.committed, generation.id].slice(-MAX_COMMITTED_GENERATIONS),
    canceled: null,
    toolLineAtMs: null,
    // Only a further attempt goes on with the clock of the one before.
    liveness: generation.attempt === 0 ? null : step.state.liveness,
  })
}

/** Stops the answer that counts, whatever it does. */
export function cancelGeneration(step: Step): void {
  const { generation } = step.state
  if (generation === null) return
  emit(step, { type: 'cancel-generation', generation: generation.id })
  change(step, { generation: null, toolLineAtMs: null })
  stopTypingSound(step)
}

/** Stops the answer to words that have changed since. */
export function dropSpeculation(step: Step, why: string): void {
  const { speculation } = step.state
  if (speculation === null) return
  emit(step, { type: 'cancel-generation', generation: speculation.id })
  note(step, 'speculation-wasted', why)
  change(step, { speculation: null })
}

/** The same once more, with the next model. */
export function retryGeneration(step: Step, generation: Generation): void {
  startGeneration(step, {
    input: { type: 'again' },
    answers: generation.answers,
    turn: generation.turn,
    attempt: generation.attempt + 1,
  })
}

/** No answer came: a sentence stands in for it, where somebody waits for one. */
export function speakFallback(step: Step, generation: Generation): void {
  change(step, { generation: null, toolLineAtMs: null })
  stopTypingSound(step)
  if (generation.answers === 'remind' || generation.answers === 'injected') return
  const sentence = step.state.settings.fallbackSentence.trim() || systemPhrases(step.state).fallback
  if (sentence === '') change(step, { failedTurns: step.state.failedTurns + 1 })
  speakSystemText(step, 'fallback', sentence)
}

/** Words take the agent's turn away. */
export function interrupt(step: Step, why: string): void {
  const { generation, uncommitted } = step.state
  clearSpeech(step)
  cancelGeneration(step)
  commitSpeech(step, true)
  if (generation !== null) {
    const { answers, turn } = generation
    change(step, { canceled: { answers, turn, checkAtMs: step.nowMs + INTERRUPTION_CHECK_MS } })
  }
  const what = uncommitted?.wasPlayed === true ? 'stopped speaking' : 'dropped an answer that nobody had heard'
  note(step, 'interrupted', `The agent ${what}: ${why}.`)
}

/** So long after an answer was taken away something has to come of it. */
const INTERRUPTION_CHECK_MS = 5_000

/** What took the answer away came to nothing. */
export function rerunReply(step: Step): void {
  const { canceled } = step.state
  if (canceled === null) return
  note(step, 'reply-run-again', 'What took the answer away came to nothing, so the agent answers again.')
  startGeneration(step, { input: { type: 'again' }, answers: canceled.answers, turn: canceled.turn })
}

/** Ends the sound of work. */
export function stopTypingSound(step: Step): void {
  if (!step.state.isTypingSoundOn) return
  emit(step, { type: 'typing-sound', on: false })
  change(step, { isTypingSoundOn: false })
}
