import type { GenerationInput } from './events.ts'
import { clearSpeech, commitSpeech, getSystemPhrases, speakSystemText } from './speech.ts'
import { change, emit, type Generation, note, type Step } from './state.ts'

/** Maximum number of remembered committed generations. Late events of canceled generations arrive soon. */
const MAX_COMMITTED_GENERATIONS = 8

interface NewGeneration {
  readonly input: GenerationInput
  readonly answers: Generation['answers']
  readonly turn: number | null
  readonly attempt?: number
}

/** Starts a committed generation. */
export function startGeneration(step: Step, { input, answers, turn, attempt = 0 }: NewGeneration): void {
  const id = step.state.nextGeneration
  emit(step, { type: 'start-generation', generation: id, input, speculative: false, attempt })
  change(step, { nextGeneration: id + 1 })
  activateGeneration(step, { id, answers, turn, attempt, startedAtMs: step.nowMs })
}

/** Makes a generation the current one. */
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
    // Only retries keep the previous attempt's clock.
    liveness: generation.attempt === 0 ? null : step.state.liveness,
  })
}

/** Cancels the current generation. */
export function cancelGeneration(step: Step): void {
  const { generation } = step.state
  if (generation === null) return
  emit(step, { type: 'cancel-generation', generation: generation.id })
  change(step, { generation: null, toolLineAtMs: null })
  stopTypingSound(step)
}

/** Cancels the speculation because the words have changed. */
export function dropSpeculation(step: Step, reason: string): void {
  const { speculation } = step.state
  if (speculation === null) return
  emit(step, { type: 'cancel-generation', generation: speculation.id })
  note(step, 'speculation-wasted', reason)
  change(step, { speculation: null })
}

/** Starts the next attempt with the fallback model. */
export function retryGeneration(step: Step, generation: Generation): void {
  startGeneration(step, {
    input: { type: 'again' },
    answers: generation.answers,
    turn: generation.turn,
    attempt: generation.attempt + 1,
  })
}

/** Speaks the fallback sentence if the caller expects an answer. */
export function speakFallback(step: Step, generation: Generation): void {
  change(step, { generation: null, toolLineAtMs: null })
  stopTypingSound(step)
  if (generation.answers === 'remind' || generation.answers === 'injected') return
  const sentence = step.state.settings.fallbackSentence.trim() || getSystemPhrases(step.state).fallback
  if (sentence === '') change(step, { failedTurns: step.state.failedTurns + 1 })
  speakSystemText(step, 'fallback', sentence)
}

/** Interrupts the agent for the caller. */
export function interruptAgent(step: Step, reason: string): void {
  const { generation, uncommitted } = step.state
  clearSpeech(step)
  cancelGeneration(step)
  commitSpeech(step, true)
  if (generation !== null) {
    const { answers, turn } = generation
    change(step, { canceled: { answers, turn, checkAtMs: step.nowMs + INTERRUPTION_CHECK_MS } })
  }
  const outcome = uncommitted?.wasPlayed === true ? 'stopped speaking' : 'dropped an unheard answer'
  note(step, 'interrupted', `The agent ${outcome}: ${reason}.`)
}

/** Time within which an interruption must have a result. */
const INTERRUPTION_CHECK_MS = 5_000

/** Repeats a reply after an interruption without a result. */
export function repeatReply(step: Step): void {
  const { canceled } = step.state
  if (canceled === null) return
  note(step, 'reply-run-again', 'The interruption led to nothing; the agent answers again.')
  startGeneration(step, { input: { type: 'again' }, answers: canceled.answers, turn: canceled.turn })
}

/** Stops the typing sound. */
export function stopTypingSound(step: Step): void {
  if (!step.state.isTypingSoundOn) return
  emit(step, { type: 'typing-sound', on: false })
  change(step, { isTypingSoundOn: false })
}
