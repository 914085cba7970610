import { LAST_ATTEMPT } from './decision-rules.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, retryGeneration, speakFallback, stopTypingSound } from './generations.ts'
import { speakClause } from './speech.ts'
import { emit, type Generation, type Step, update } from './state.ts'
import { TOOL_FILLER_INTERVAL_MS } from './timeouts.ts'

type Event<Type extends VoiceEvent['type']> = Extract<VoiceEvent, { type: Type }>

const MAX_BUFFERED_CLAUSES = 200
/** Delay of the first filler while a tool runs unannounced. */
const FIRST_TOOL_FILLER_MS = 900

/** Speaks a clause of the current answer, or buffers a clause of a speculative one. */
export function onClause(step: Step, { generation: id, utteranceId, text }: Event<'clause'>): void {
  const { generation, speculation } = step.state
  if (text.trim() === '') return
  if (generation?.id === id && generation.status === 'running') speakClause(step, id, { utteranceId, text })
  if (speculation?.id !== id || speculation.status !== 'running') return
  const clauses = [...speculation.clauses, { utteranceId, text }].slice(0, MAX_BUFFERED_CLAUSES)
  update(step, { speculation: { ...speculation, clauses } })
}

/** Handles the start of a tool call. */
export function onToolStarted(step: Step, event: Event<'tool-started'>): void {
  const generation = getRunningGeneration(step, event.generation)
  if (generation === null || generation.runningToolCallIds.includes(event.toolCallId)) return
  update(step, {
    generation: {
      ...generation,
      runningToolCallIds: [...generation.runningToolCallIds, event.toolCallId],
      hasActed: true,
    },
  })
  if (event.typingSound && !step.state.isTypingSoundOn) {
    emit(step, { type: 'typing-sound', on: true })
    update(step, { isTypingSoundOn: true })
  }
  const { toolFillerAtMs } = step.state
  if (event.hasLeadIn) update(step, { toolFillerAtMs: step.nowMs + TOOL_FILLER_INTERVAL_MS })
  else update(step, { toolFillerAtMs: toolFillerAtMs ?? step.nowMs + FIRST_TOOL_FILLER_MS })
}

/** Handles the end of a tool call. */
export function onToolEnded(step: Step, event: Event<'tool-ended'>): void {
  const generation = getRunningGeneration(step, event.generation)
  if (generation === null) return
  const runningToolCallIds = generation.runningToolCallIds.filter((id) => id !== event.toolCallId)
  update(step, { generation: { ...generation, runningToolCallIds } })
  if (runningToolCallIds.length > 0) return
  update(step, { toolFillerAtMs: null })
  stopTypingSound(step)
}

/** Applies a transition, even if the reply was interrupted. */
export function onTransition(step: Step, event: Event<'transition'>): void {
  if (!step.state.committedGenerationIds.includes(event.generation)) return
  const { generation } = step.state
  if (generation?.id === event.generation) update(step, { generation: { ...generation, hasActed: true } })
  update(step, { settings: event.settings })
  dropSpeculation(step, 'The conversation moved to another node.')
}

/** Marks the current answer as the last one before the call ends. */
export function onAgentHangUp(step: Step, id: number): void {
  const generation = getRunningGeneration(step, id)
  if (generation === null) return
  update(step, { generation: { ...generation, isLast: true, hasActed: true }, pause: null })
  dropSpeculation(step, 'The agent ends the call.')
}

/** Handles the end of a generation. */
export function onGenerationEnded(step: Step, event: Event<'generation-ended'>): void {
  const { speculation } = step.state
  if (speculation?.id === event.generation) {
    if (event.outcome === 'failed' || speculation.clauses.length === 0) dropSpeculation(step, 'No model answered.')
    else update(step, { speculation: { ...speculation, status: 'completed' } })
  }
  if (getRunningGeneration(step, event.generation) !== null) endGeneration(step, event.outcome)
}

/** Ends the current generation and retries an empty one. */
export function endGeneration(step: Step, outcome: 'completed' | 'failed'): void {
  const { generation } = step.state
  if (generation === null) return
  update(step, {
    generation: { ...generation, status: 'completed', runningToolCallIds: [] },
    toolFillerAtMs: null,
  })
  stopTypingSound(step)
  const isAwaited = generation.inputType === 'user' || generation.inputType === 'open'
  const isEmpty = outcome === 'failed' ? !generation.hasSpoken : !generation.hasSpoken && !generation.hasActed
  if (!isEmpty || generation.isLast || !isAwaited) return
  if (generation.attempt < LAST_ATTEMPT) retryGeneration(step, generation)
  else speakFallback(step, generation)
}

function getRunningGeneration(step: Step, id: number): Generation | null {
  const { generation } = step.state
  return generation?.id === id && generation.status === 'running' ? generation : null
}
