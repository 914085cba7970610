import { LAST_ATTEMPT } from './decide-liveness.ts'
import type { VoiceEvent } from './events.ts'
import { dropSpeculation, retryGeneration, speakFallback, stopTypingSound } from './generations.ts'
import { NEXT_TOOL_LINE_MS } from './liveness.ts'
import { speakClause } from './speech.ts'
import type { Generation } from './state.ts'
import { change, emit, type Step } from './step.ts'

type Event<Type extends VoiceEvent['type']> = Extract<VoiceEvent, { type: Type }>

const MAX_BUFFERED_CLAUSES = 200
/** A tool that nothing was said about is bridged when it takes longer than this. */
const FIRST_TOOL_LINE_MS = 900

/** A clause of an answer: said now, or once it is sure that the answer counts. */
export function onClause(step: Step, { generation: id, utteranceId, text }: Event<'clause'>): void {
  const { generation, speculation } = step.state
  if (text.trim() === '') return
  if (generation?.id === id && generation.outcome === 'running') speakClause(step, id, { utteranceId, text })
  if (speculation?.id !== id || speculation.outcome !== 'running') return
  const clauses = [...speculation.clauses, { utteranceId, text }].slice(0, MAX_BUFFERED_CLAUSES)
  change(step, { speculation: { ...speculation, clauses } })
}

/** A tool of the answer that counts is at work. */
export function onToolStarted(step: Step, event: Event<'tool-started'>): void {
  const generation = running(step, event.generation)
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

/** A tool is done. */
export function onToolEnded(step: Step, event: Event<'tool-ended'>): void {
  const generation = running(step, event.generation)
  if (generation === null) return
  const tools = generation.tools.filter((id) => id !== event.toolCallId)
  change(step, { generation: { ...generation, tools } })
  if (tools.length > 0) return
  change(step, { toolLineAtMs: null })
  stopTypingSound(step)
}

/** The conversation moved on: even if the words about it were interrupted. */
export function onTransition(step: Step, event: Event<'transition'>): void {
  if (!step.state.committed.includes(event.generation)) return
  const { generation } = step.state
  if (generation?.id === event.generation) change(step, { generation: { ...generation, hasActed: true } })
  change(step, { settings: event.settings })
  dropSpeculation(step, 'The conversation moved on.')
}

/** The agent says good-bye. */
export function onAgentHangUp(step: Step, id: number): void {
  const generation = running(step, id)
  if (generation === null) return
  change(step, { generation: { ...generation, isLast: true, hasActed: true }, pause: null })
  dropSpeculation(step, 'The agent ends the call.')
}

/** An answer, or the try at one, is complete. */
export function onGenerationEnded(step: Step, event: Event<'generation-ended'>): void {
  const { speculation } = step.state
  if (speculation?.id === event.generation) {
    if (event.outcome === 'failed' || speculation.clauses.length === 0) dropSpeculation(step, 'No model could answer.')
    else change(step, { speculation: { ...speculation, outcome: 'completed' } })
  }
  if (running(step, event.generation) !== null) endGeneration(step, event.outcome)
}

/** The answer that counts has ended: with something, or another try takes its place. */
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

function running(step: Step, id: number): Generation | null {
  const { generation } = step.state
  return generation?.id === id && generation.outcome === 'running' ? generation : null
}
