import type { GenerationInput } from './events.ts'
import { clearSpeech, commitSpeech, getSystemPhrases, speakSystemText } from './speech.ts'
import { emit, type Generation, isHeard, note, type Step, update } from './state.ts'

/** Maximum number of remembered committed generations. Late events of canceled generations arrive soon. */
const MAX_COMMITTED_GENERATIONS = 8

interface NewGeneration {
  readonly input: GenerationInput
  readonly inputType: Generation['inputType']
  readonly turnNumber: number | null
  readonly attempt?: number
}

/** Starts a committed generation. */
export function startGeneration(step: Step, { input, inputType, turnNumber, attempt = 0 }: NewGeneration): void {
  const id = step.state.nextGenerationId
  emit(step, { type: 'start-generation', generation: id, input, speculative: false, attempt })
  update(step, { nextGenerationId: id + 1 })
  activateGeneration(step, { id, inputType, turnNumber, attempt, startedAtMs: step.nowMs })
}

/** Makes a generation the current one. */
export function activateGeneration(
  step: Step,
  generation: Pick<Generation, 'id' | 'inputType' | 'turnNumber' | 'attempt' | 'startedAtMs'>,
): void {
  update(step, {
    generation: {
      ...generation,
      status: 'running',
      runningToolCallIds: [],
      hasSpoken: false,
      hasActed: false,
      isLast: false,
    },
    committedGenerationIds: [...step.state.committedGenerationIds, generation.id].slice(-MAX_COMMITTED_GENERATIONS),
    canceledReply: null,
    toolFillerAtMs: null,
    // Retries do not restart the wait for an answer.
    replyWait: generation.attempt === 0 ? null : step.state.replyWait,
  })
}

/** Cancels the current generation. */
export function cancelGeneration(step: Step): void {
  const { generation } = step.state
  if (generation === null) return
  emit(step, { type: 'cancel-generation', generation: generation.id })
  update(step, { generation: null, toolFillerAtMs: null })
  stopTypingSound(step)
}

/** Cancels the speculation because the words have changed. */
export function dropSpeculation(step: Step, reason: string): void {
  const { speculation } = step.state
  if (speculation === null) return
  emit(step, { type: 'cancel-generation', generation: speculation.id })
  note(step, 'speculation-wasted', reason)
  update(step, { speculation: null })
}

/** Starts the next attempt with the fallback model. */
export function retryGeneration(step: Step, generation: Generation): void {
  startGeneration(step, {
    input: { type: 'again' },
    inputType: generation.inputType,
    turnNumber: generation.turnNumber,
    attempt: generation.attempt + 1,
  })
}

/** Speaks the fallback sentence if the caller expects an answer. */
export function speakFallback(step: Step, generation: Generation): void {
  update(step, { generation: null, toolFillerAtMs: null })
  stopTypingSound(step)
  if (generation.inputType === 'remind' || generation.inputType === 'injected') return
  const sentence = step.state.settings.fallbackSentence.trim() || getSystemPhrases(step.state).fallback
  if (sentence === '') update(step, { failedTurnCount: step.state.failedTurnCount + 1 })
  speakSystemText(step, 'fallback', sentence)
}

/** Stops the agent because of the caller's input. */
export function interruptAgent(step: Step, reason: string): void {
  const { generation, uncommittedSpeech } = step.state
  clearSpeech(step)
  cancelGeneration(step)
  commitSpeech(step, true)
  if (generation !== null) {
    const { inputType, turnNumber } = generation
    update(step, { canceledReply: { inputType, turnNumber, checkAtMs: step.nowMs + INTERRUPTION_CHECK_MS } })
  }
  const outcome = isHeard(uncommittedSpeech) ? 'stopped speaking' : 'dropped an unheard answer'
  note(step, 'interrupted', `The agent ${outcome}: ${reason}.`)
}

/** Time within which an interruption must have a result. */
const INTERRUPTION_CHECK_MS = 5_000

/** Repeats a reply after an interruption without a result. */
export function repeatReply(step: Step): void {
  const { canceledReply } = step.state
  if (canceledReply === null) return
  note(step, 'reply-run-again', 'The interruption had no result; the agent answers again.')
  startGeneration(step, {
    input: { type: 'again' },
    inputType: canceledReply.inputType,
    turnNumber: canceledReply.turnNumber,
  })
}

export function stopTypingSound(step: Step): void {
  if (!step.state.isTypingSoundOn) return
  emit(step, { type: 'typing-sound', on: false })
  update(step, { isTypingSoundOn: false })
}
