import { consumeTurn, isStable } from './caller-turn.ts'
import { isSpeculationAllowed, pressDigit } from './deciders.ts'
import { activateGeneration, dropSpeculation, interruptAgent, startGeneration } from './generations.ts'
import { endGeneration } from './on-reply.ts'
import { speakClause } from './speech.ts'
import { type CallerTurn, canInterrupt, change, emit, isAgentBusy, note, type Speculation, type Step } from './state.ts'
import { haveSameWords } from './words/split-words.ts'

/** Commits the user turn and starts an answer. */
export function commitTurn(step: Step): void {
  const { speculation, turn, digits, typed } = step.state
  if (turn === null && digits === null && typed.length === 0) return
  const isSpoken = digits === null && typed.length === 0
  const isAnswered = isSpoken && turn !== null && speculation !== null && haveSameWords(speculation.text, turn.text)
  if (!isAnswered) dropSpeculation(step, 'The final words differ.')
  const parts = [turn?.text, ...typed, digits?.text].filter((part) => part !== undefined && part !== '')
  const turnNumber = consumeTurn(step)
  const matchingSpeculation = step.state.speculation
  if (matchingSpeculation !== null) commitSpeculation(step, matchingSpeculation, turnNumber)
  else {
    startGeneration(step, { input: { type: 'user', text: parts.join(' ') }, answers: 'user', turn: turnNumber })
  }
}

function commitSpeculation(step: Step, { id, startedAtMs, clauses, outcome }: Speculation, turn: number): void {
  emit(step, { type: 'commit-generation', generation: id })
  note(step, 'speculation-used', 'The answer started before the end of the turn.')
  change(step, { speculation: null })
  activateGeneration(step, { id, answers: 'user', turn, attempt: 0, startedAtMs })
  for (const clause of clauses) speakClause(step, id, clause)
  if (outcome === 'completed') endGeneration(step, 'completed')
}

/** Commits typed text and finished keypad input once the agent is idle. */
export function commitFinishedInput(step: Step): void {
  const { digits, typed } = step.state
  if (isAgentBusy(step.state)) return
  if (typed.length > 0 || digits?.isDone === true) commitTurn(step)
}

/** Asks the model before the turn has ended. */
export function speculate(step: Step): void {
  const { turn, speculation } = step.state
  if (turn === null) {
    dropSpeculation(step, 'The caller said nothing.')
    return
  }
  if (speculation !== null && haveSameWords(speculation.text, turn.text)) return
  dropSpeculation(step, 'The caller continued.')
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

const MAX_PENDING_TEXTS = 16

/** Handles a DTMF key. */
export function onDtmf(step: Step, digit: string): void {
  const { settings, digits } = step.state
  if (!settings.allowDtmf) return
  const updatedDigits = pressDigit(digits?.text ?? '', digit, settings.dtmf)
  if (updatedDigits.text === '') return
  change(step, {
    digits: { ...updatedDigits, isDone: updatedDigits.isDone || digits?.isDone === true, lastAtMs: step.nowMs },
  })
  if (isAgentBusy(step.state) && canInterrupt(step.state, 'keys')) interruptAgent(step, 'the caller pressed a key')
}

/** Handles typed text, which is a complete turn. */
export function onTyped(step: Step, text: string): void {
  const trimmedText = text.trim()
  if (trimmedText === '' || step.state.typed.length >= MAX_PENDING_TEXTS) return
  change(step, { typed: [...step.state.typed, trimmedText] })
  if (isAgentBusy(step.state) && canInterrupt(step.state, 'typing')) interruptAgent(step, 'the caller typed')
}
