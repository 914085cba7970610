import { canRetry, livenessStep } from './decide-liveness.ts'
import { endCall } from './end-call.ts'
import { cancelGeneration, retryGeneration, speakFallback } from './generations.ts'
import { speakNextPhrase, systemPhrases } from './speech.ts'
import type { TurnState } from './state.ts'
import { change, note, type Step } from './step.ts'
import { isAgentAudible } from './turn-conditions.ts'

/** From one line that is said while a tool works to the next. */
export const NEXT_TOOL_LINE_MS = 10_000
const TOOL_LINE_RETRY_MS = 1_000

/** Somebody waits for words of an answer: neither is one queued nor does a tool work for it. */
function isAwaited({ generation, queue }: TurnState): boolean {
  if (generation?.outcome !== 'running' || generation.tools.length > 0) return false
  return !queue.some(({ kind }) => kind === 'reply' || kind === 'fallback')
}

/** Starts and stops the clock of an answer. A further attempt goes on with that of the first. */
export function watchLiveness(step: Step): void {
  const { liveness } = step.state
  if (!isAwaited(step.state)) {
    if (liveness !== null) change(step, { liveness: null })
  } else if (liveness === null) change(step, { liveness: { sinceMs: step.nowMs, stepsTaken: 0 } })
}

/** When something has to be done about an answer that does not come. */
export function livenessAtMs({ liveness }: TurnState): number | undefined {
  if (liveness === null) return undefined
  const next = livenessStep(liveness.stepsTaken)
  return next === null ? undefined : liveness.sinceMs + next.afterMs
}

/** The answer does not come: something is said, another model tried, a sentence said in its place. */
export function onLiveness(step: Step): void {
  const { liveness, generation } = step.state
  const next = liveness === null ? null : livenessStep(liveness.stepsTaken)
  if (liveness === null || generation === null || next === null) return
  change(step, { liveness: { ...liveness, stepsTaken: liveness.stepsTaken + 1 } })
  if (generation.isLast) {
    endCall(step, step.state.ending?.reason ?? 'agent_hangup')
    return
  }
  note(step, 'model-stalled', `No answer came for ${next.afterMs / 1_000} seconds.`)
  const { turn, voice, queue } = step.state
  if (next.step === 'filler') {
    const isQuiet = turn === null && !voice.isOn && queue.length === 0
    if (generation.answers === 'user' && isQuiet) speakNextPhrase(step, 'filler', systemPhrases(step.state).fillers)
    return
  }
  // A sentence of which a part was heard is not begun again: nothing is said twice.
  if (next.step === 'next-attempt' && !generation.hasSpoken) {
    if (!canRetry(generation.attempt, step.nowMs - generation.startedAtMs)) return
    cancelGeneration(step)
    retryGeneration(step, generation)
    return
  }
  cancelGeneration(step)
  speakFallback(step, generation)
}

/** A tool takes long: the caller hears that somebody is still there. */
export function onToolLine(step: Step): void {
  const { generation, turn, voice, queue } = step.state
  if (generation === null || generation.tools.length === 0) return
  const isQuiet = turn === null && !voice.isOn && queue.length === 0 && !isAgentAudible(step.state)
  change(step, { toolLineAtMs: step.nowMs + (isQuiet ? NEXT_TOOL_LINE_MS : TOOL_LINE_RETRY_MS) })
  if (isQuiet) speakNextPhrase(step, 'tool-line', systemPhrases(step.state).waits)
}
