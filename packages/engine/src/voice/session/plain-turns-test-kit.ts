import type { VoiceEffect, VoiceEvent } from '../turn-machine/events.ts'
import type { TurnMachine } from './voice-session.ts'

/** State of the minimal turn machine. */
export interface PlainTurns {
  readonly generations: number
  readonly turns: number
  /** Utterances that have not been played. */
  readonly waiting: readonly string[]
  readonly current: number | null
  readonly isAnswered: boolean
  readonly isEndRequested: boolean
  /** The speculative generation. */
  readonly speculation: {
    readonly id: number
    readonly text: string
    readonly clauses: readonly VoiceEffect[]
    readonly isDone: boolean
  } | null
}

type Decision = { readonly state: PlainTurns; readonly effects: readonly VoiceEffect[] }

/**
 * Creates a turn machine with predictable rules. A final text is a turn, a stable text is answered speculatively, and voice
 * interrupts the agent. The typed texts `pause` and `resume` pause and resume playback.
 */
export function createPlainTurns(options: { readonly interrupts?: boolean } = {}): TurnMachine<PlainTurns> {
  const { interrupts = true } = options
  return {
    createInitialState: () => ({
      generations: 0,
      turns: 0,
      waiting: [],
      current: null,
      isAnswered: true,
      isEndRequested: false,
      speculation: null,
    }),
    advance: (state, event, nowMs) => decide(state, event, { nowMs, interrupts }),
  }
}

interface DecisionContext {
  readonly nowMs: number
  readonly interrupts: boolean
}

function decide(state: PlainTurns, event: VoiceEvent, context: DecisionContext): Decision {
  switch (event.type) {
    case 'joined':
      return openCall(state, event)
    case 'transcript':
      if (event.text === '') return toDecision(state)
      if (event.stage === 'stable') return speculate(state, event.text)
      return event.stage === 'final' ? commitTurn(state, event.text, context) : toDecision(state)
    case 'typed':
      if (event.text === 'pause') return toDecision(state, { type: 'pause-playout' })
      if (event.text === 'resume') return toDecision(state, { type: 'resume-playout' })
      return commitTurn(state, event.text, context)
    case 'voice-started':
      return context.interrupts && state.waiting.length > 0 ? interrupt(state) : toDecision(state)
    case 'clause':
      return handleClause(state, event)
    case 'say':
      return speakText(state, { utteranceId: `own-say-${state.turns}`, kind: 'say', text: event.text })
    case 'inject':
      return event.respond ? generate(state, { type: 'injected' }) : toDecision(state)
    case 'agent-hang-up':
      return { state: { ...state, isEndRequested: true }, effects: [] }
    case 'generation-ended':
      if (state.speculation?.id === event.generation) {
        return toDecision({ ...state, speculation: { ...state.speculation, isDone: true } })
      }
      return finishAgentTurn({ ...state, isAnswered: true })
    case 'playout-ended':
    case 'speech-failed':
      return finishAgentTurn({ ...state, waiting: state.waiting.filter((id) => id !== event.utteranceId) })
    case 'end-requested':
      return toDecision(state, { type: 'end', reason: event.reason })
    case 'hang-up':
      return toDecision(state, { type: 'end', reason: 'user_hangup' })
    default:
      return toDecision(state)
  }
}

function toDecision(state: PlainTurns, ...effects: readonly VoiceEffect[]): Decision {
  return { state, effects }
}

function openCall(state: PlainTurns, { opening }: Extract<VoiceEvent, { type: 'joined' }>): Decision {
  if (opening.type === 'say') return speakText(state, { utteranceId: 'own-1', kind: 'opening', text: opening.text })
  return opening.type === 'generate' ? generate(state, { type: 'open' }) : toDecision(state)
}

function speakText(
  state: PlainTurns,
  utterance: { readonly utteranceId: string; readonly kind: 'opening' | 'say'; readonly text: string },
): Decision {
  const waiting = [...state.waiting, utterance.utteranceId]
  return { state: { ...state, waiting }, effects: [{ type: 'speak', generation: null, ...utterance }] }
}

function generate(
  state: PlainTurns,
  input: Extract<VoiceEffect, { type: 'start-generation' }>['input'],
  precedingEffects: readonly VoiceEffect[] = [],
): Decision {
  const generation = state.generations + 1
  const start = { type: 'start-generation', generation, input, speculative: false, attempt: 0 } as const
  const next = { ...state, generations: generation, current: generation, isAnswered: false }
  return { state: next, effects: [...precedingEffects, start] }
}

function speculate(state: PlainTurns, text: string): Decision {
  if (state.speculation?.text === text) return toDecision(state)
  const id = state.generations + 1
  const input = { type: 'user', text } as const
  const cancellation =
    state.speculation === null ? [] : [{ type: 'cancel-generation', generation: state.speculation.id } as const]
  const start = { type: 'start-generation', generation: id, input, speculative: true, attempt: 0 } as const
  return {
    state: { ...state, generations: id, speculation: { id, text, clauses: [], isDone: false } },
    effects: [...cancellation, start],
  }
}

function commitTurn(state: PlainTurns, text: string, { nowMs }: DecisionContext): Decision {
  const turn = state.turns + 1
  const commit = {
    type: 'commit-user-turn',
    turn,
    text,
    source: 'speech',
    firstVoiceAtMs: nowMs - 200,
    lastVoiceAtMs: nowMs - 200,
    endOfTurnMs: 200,
  } as const
  const { speculation } = state
  const next = { ...state, turns: turn, speculation: null }
  if (speculation === null) return generate(next, { type: 'user', text }, [commit])
  if (speculation.text !== text) {
    return generate(next, { type: 'user', text }, [commit, { type: 'cancel-generation', generation: speculation.id }])
  }
  const waiting = speculation.clauses.flatMap((effect) => (effect.type === 'speak' ? [effect.utteranceId] : []))
  return {
    state: {
      ...next,
      current: speculation.id,
      isAnswered: speculation.isDone,
      waiting: [...state.waiting, ...waiting],
    },
    effects: [commit, { type: 'commit-generation', generation: speculation.id }, ...speculation.clauses],
  }
}

function handleClause(state: PlainTurns, event: Extract<VoiceEvent, { type: 'clause' }>): Decision {
  const { generation, utteranceId, text } = event
  const speak = { type: 'speak', kind: 'reply', generation, utteranceId, text } as const
  const { speculation } = state
  if (speculation?.id === generation) {
    return {
      state: { ...state, speculation: { ...speculation, clauses: [...speculation.clauses, speak] } },
      effects: [],
    }
  }
  if (state.current !== generation) return toDecision(state)
  return { state: { ...state, waiting: [...state.waiting, utteranceId] }, effects: [speak] }
}

function interrupt(state: PlainTurns): Decision {
  const cancel = state.current === null ? [] : [{ type: 'cancel-generation', generation: state.current } as const]
  return {
    state: { ...state, waiting: [], current: null, isAnswered: true },
    effects: [
      { type: 'clear-playout' },
      ...cancel,
      { type: 'commit-agent-turn', generation: state.current, interrupted: true },
    ],
  }
}

function finishAgentTurn(state: PlainTurns): Decision {
  if (state.waiting.length > 0 || !state.isAnswered) return toDecision(state)
  const commit = { type: 'commit-agent-turn', generation: state.current, interrupted: false } as const
  if (state.isEndRequested) return toDecision(state, commit, { type: 'end', reason: 'agent_hangup' })
  return toDecision(state, commit)
}
