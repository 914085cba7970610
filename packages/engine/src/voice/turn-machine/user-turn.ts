import { isStable } from './caller-turn.ts'
import { consumeTurn } from './consume-turn.ts'
import { isSpeculationAllowed } from './decide-speculation.ts'
import { activateGeneration, dropSpeculation, startGeneration } from './generations.ts'
import { endGeneration } from './on-reply.ts'
import { speakClause } from './speech.ts'
import type { CallerTurn, Speculation } from './state.ts'
import { change, emit, note, type Step } from './step.ts'
import { isAgentBusy } from './turn-conditions.ts'
import { haveSameWords } from './words/split-words.ts'

/** The caller is done: the turn goes into the history and is answered. */
export function commitTurn(step: Step): void {
  const { speculation, turn, digits, typed } = step.state
  if (turn === null && digits === null && typed.length === 0) return
  const isSpoken = digits === null && typed.length === 0
  const isAnswered = isSpoken && turn !== null && speculation !== null && haveSameWords(speculation.text, turn.text)
  if (!isAnswered) dropSpeculation(step, 'The caller said something else in the end.')
  const parts = [turn?.text, ...typed, digits?.text].filter((part) => part !== undefined && part !== '')
  const number = consumeTurn(step)
  const kept = step.state.speculation
  if (kept !== null) commitSpeculation(step, kept, number)
  else {
    startGeneration(step, { input: { type: 'user', text: parts.join(' ') }, answers: 'user', turn: number })
  }
}

function commitSpeculation(step: Step, { id, startedAtMs, clauses, outcome }: Speculation, turn: number): void {
  emit(step, { type: 'commit-generation', generation: id })
  note(step, 'speculation-used', 'The answer was begun before the caller was done.')
  change(step, { speculation: null })
  activateGeneration(step, { id, answers: 'user', turn, attempt: 0, startedAtMs })
  for (const clause of clauses) speakClause(step, id, clause)
  if (outcome === 'completed') endGeneration(step, 'completed')
}

/** What was written or pressed to its end is a turn as soon as the agent has nothing to say. */
export function commitFinishedInput(step: Step): void {
  const { digits, typed } = step.state
  if (isAgentBusy(step.state)) return
  if (typed.length > 0 || digits?.isDone === true) commitTurn(step)
}

/** Asks the model while it is waited for whether the caller is done. */
export function speculate(step: Step): void {
  const { turn, speculation } = step.state
  if (turn === null) {
    dropSpeculation(step, 'Nothing was said after all.')
    return
  }
  if (speculation !== null && haveSameWords(speculation.text, turn.text)) return
  dropSpeculation(step, 'The caller went on.')
  if (shouldSpeculate(step, turn)) startSpeculation(step, turn)
}

function shouldSpeculate(step: Step, turn: CallerTurn): boolean {
  const { voice, digits, typed, connection, generation } = step.state
  if (voice.isOn || digits !== null || typed.length > 0 || connection === 'lost') return false
  if (turn.retranscribingSinceMs !== null || isAgentBusy(step.state)) return false
  return isSpeculationAllowed({
    attempts: turn.speculations,
    speechMs: turn.lastVoiceAtMs - turn.firstVoiceAtMs,
    isStable: isStable(turn),
    isToolRunning: (generation?.tools.length ?? 0) > 0,
  })
}

function startSpeculation(step: Step, turn: CallerTurn): void {
  const id = step.state.nextGeneration
  const { text } = turn
  emit(step, {
    type: 'start-generation',
    generation: id,
    input: { type: 'user', text },
    speculative: true,
    attempt: 0,
  })
  change(step, {
    nextGeneration: id + 1,
    speculation: { id, text, startedAtMs: step.nowMs, outcome: 'running', clauses: [] },
    turn: { ...turn, speculations: turn.speculations + 1 },
  })
}
