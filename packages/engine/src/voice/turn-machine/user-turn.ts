import { consumeTurn, hasStableText } from './caller-turn.ts'
import { appendDigit, isSpeculationAllowed } from './decision-rules.ts'
import { activateGeneration, dropSpeculation, interruptAgent, startGeneration } from './generations.ts'
import { endGeneration } from './on-reply.ts'
import { isFinishedBackchannel } from './overlap.ts'
import { speakClause } from './speech.ts'
import { type CallerTurn, canInterrupt, emit, isAgentBusy, note, type Speculation, type Step, update } from './state.ts'
import { haveSameWords } from './words/split-words.ts'

/** Commits the user turn and starts an answer. */
export function commitTurn(step: Step): void {
  const { speculation, turn, digits, typedTexts } = step.state
  if (turn === null && digits === null && typedTexts.length === 0) return
  const isSpoken = digits === null && typedTexts.length === 0
  const isReusable = isSpoken && turn !== null && speculation !== null && haveSameWords(speculation.text, turn.text)
  if (!isReusable) dropSpeculation(step, 'The final words differ.')
  const { turnNumber, text } = consumeTurn(step)
  const matchingSpeculation = step.state.speculation
  if (matchingSpeculation !== null) commitSpeculation(step, matchingSpeculation, turnNumber)
  else startGeneration(step, { input: { type: 'user', text }, inputType: 'user', turnNumber })
}

function commitSpeculation(step: Step, { id, startedAtMs, clauses, status }: Speculation, turnNumber: number): void {
  emit(step, { type: 'commit-generation', generation: id })
  note(step, 'speculation-used', 'The answer started before the end of the turn.')
  update(step, { speculation: null })
  activateGeneration(step, { id, inputType: 'user', turnNumber, attempt: 0, startedAtMs })
  for (const clause of clauses) speakClause(step, id, clause)
  if (status === 'completed') endGeneration(step, 'completed')
}

/** Commits typed text and finished keypad input once the agent is idle. */
export function commitFinishedInput(step: Step): void {
  const { digits, typedTexts } = step.state
  if (isAgentBusy(step.state)) return
  if (typedTexts.length > 0 || digits?.isComplete === true) commitTurn(step)
}

/** Starts a speculative answer, or drops it after the caller's words have changed. */
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
  const { voice, digits, typedTexts, connection, generation } = step.state
  if (voice.isActive || digits !== null || typedTexts.length > 0 || connection === 'lost') return false
  if (turn.retranscribingSinceMs !== null || isAgentBusy(step.state) || isFinishedBackchannel(step.state)) return false
  return isSpeculationAllowed({
    attempts: turn.speculationCount,
    speechMs: turn.lastVoiceAtMs - turn.firstVoiceAtMs,
    isStable: hasStableText(turn),
    isToolRunning: (generation?.runningToolCallIds.length ?? 0) > 0,
  })
}

function startSpeculation(step: Step, turn: CallerTurn): void {
  const id = step.state.nextGenerationId
  const { text } = turn
  emit(step, {
    type: 'start-generation',
    generation: id,
    input: { type: 'user', text },
    speculative: true,
    attempt: 0,
  })
  update(step, {
    nextGenerationId: id + 1,
    speculation: { id, text, startedAtMs: step.nowMs, status: 'running', clauses: [] },
    turn: { ...turn, speculationCount: turn.speculationCount + 1 },
  })
}

const MAX_PENDING_TEXTS = 16

/** Handles a DTMF key. */
export function onDtmf(step: Step, digit: string): void {
  const { settings, digits } = step.state
  if (!settings.allowDtmf) return
  const updatedDigits = appendDigit(digits?.text ?? '', digit, settings.dtmf)
  if (updatedDigits.text === '') return
  update(step, {
    digits: {
      ...updatedDigits,
      isComplete: updatedDigits.isComplete || digits?.isComplete === true,
      lastKeyAtMs: step.nowMs,
    },
  })
  if (isAgentBusy(step.state) && canInterrupt(step.state, 'keys')) interruptAgent(step, 'the caller pressed a key')
}

/** Handles typed text, which is a complete turn. */
export function onTyped(step: Step, text: string): void {
  const trimmedText = text.trim()
  if (trimmedText === '' || step.state.typedTexts.length >= MAX_PENDING_TEXTS) return
  update(step, { typedTexts: [...step.state.typedTexts, trimmedText] })
  if (isAgentBusy(step.state) && canInterrupt(step.state, 'typing')) interruptAgent(step, 'the caller typed')
}
