import { LAST_ATTEMPT } from './deciders.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, retryGeneration, speakFallback, stopTypingSound } from './generations.ts'
import { NEXT_TOOL_LINE_MS } from './liveness.ts'
import { speakClause } from './speech.ts'
import { change, emit, type Generation, type Step } from './state.ts'

type Event<Type extends VoiceEvent['type']> = Extract<VoiceEvent, { type: Type }>

const MAX_BUFFERED_CLAUSES = 200
/** Delay of the first filler while a tool runs unannounced. */
const FIRST_TOOL_LINE_MS = 900

/** Speaks a clause of the current answer, or buffers a clause of a speculative one. */
export function onClause(step: Step, { generation: id, utteranceId, text }: Event<'clause'>): void {
  const { generation, speculation } = step.state
  if (text.trim() === '') return
  if (generation?.id === id && generation.outcome === 'running') speakClause(step, id, { utteranceId, text })
  if (speculation?.id !== id || speculation.outcome !== 'running') return
  const clauses = [...speculation.clauses, { utteranceId, text }].slice(0, MAX_BUFFERED_CLAUSES)
  change(step, { speculation: { ...speculation, clauses } })
}

/** Handles the start of the current generation's tool. */
export function onToolStarted(step: Step, event: Event<'tool-started'>): void {
  const generation = getRunningGeneration(step, event.generation)
  if (generation === null || generation.tools.includes(event.toolCallId)) return
  change(step, { generation: { ...generation, tools: [...generation.tools, event.toolCallId], hasActed: true } })
  if (event.typingSound && !step.state.isTypingSoundOn) {
    emit(step, { type: 'typing-sound', on: true })
    change(step, { isTypingSoundOn: true })
  }
  const { toolLineAtMs } = step.state
  if (event.hasLeadIn) change(step, { toolLineAtMs: step.nowMs + NEXT_TOOL_LINE_MS })
  else change(step, { toolLineAtMs: toolLineAtMs ?? step.nowMs + FIRST_TOOL_LINE_MS })
}

/** Handles the end of a tool. */
export function onToolEnded(step: Step, event: Event<'tool-ended'>): void {
  const generation = getRunningGeneration(step, event.generation)
  if (generation === null) return
  const tools = generation.tools.filter((id) => id !== event.toolCallId)
  change(step, { generation: { ...generation, tools } })
  if (tools.length > 0) return
  change(step, { toolLineAtMs: null })
  stopTypingSound(step)
}

/** Applies a transition, even if its words were interrupted. */
export function onTransition(step: Step, event: Event<'transition'>): void {
  if (!step.state.committed.includes(event.generation)) return
  const { generation } = step.state
  if (generation?.id === event.generation) change(step, { generation: { ...generation, hasActed: true } })
  change(step, { settings: event.settings })
  dropSpeculation(step, 'The conversation moved on.')
}

/** Ends the call after the agent's goodbye. */
export function onAgentHangUp(step: Step, id: number): void {
  const generation = getRunningGeneration(step, id)
  if (generation === null) return
  change(step, { generation: { ...generation, isLast: true, hasActed: true }, pause: null })
  dropSpeculation(step, 'The agent ends the call.')
}

/** Handles the end of a generation. */
export function onGenerationEnded(step: Step, event: Event<'generation-ended'>): void {
  const { speculation } = step.state
  if (speculation?.id === event.generation) {
    if (event.outcome === 'failed' || speculation.clauses.length === 0) dropSpeculation(step, 'No model answered.')
    else change(step, { speculation: { ...speculation, outcome: 'completed' } })
  }
  if (getRunningGeneration(step, event.generation) !== null) endGeneration(step, event.outcome)
}

/** Ends the current generation and retries an empty one. */
export function endGeneration(step: Step, outcome: 'completed' | 'failed'): void {
  const { generation } = step.state
  if (generation === null) return
  change(step, { generation: { ...generation, outcome: 'completed', tools: [] }, toolLineAtMs: null })
  stopTypingSound(step)
  const isAwaited = generation.answers === 'user' || generation.answers === 'open'
  const isEmpty = outcome === 'failed' ? !generation.hasSpoken : !generation.hasSpoken && !generation.hasActed
  if (!isEmpty || generation.isLast || !isAwaited) return
  if (generation.attempt < LAST_ATTEMPT) retryGeneration(step, generation)
  else speakFallback(step, generation)
}

function getRunningGeneration(step: Step, id: number): Generation | null {
  const { generation } = step.state
  return generation?.id === id && generation.outcome === 'running' ? generation : null
}
