import type { CallEvents, CallTranscript } from '@parley/sdk'

/** A call as its events tell it. */

/** Something that was said. */
export interface SaidLine {
  readonly kind: 'said'
  readonly id: string
  readonly role: 'agent' | 'user'
  readonly text: string
  /** Nothing of it will change any more. */
  readonly isFinal: boolean
  readonly isInterrupted: boolean
  /** How long it took to come; null where nobody waited for it. */
  readonly latency: Latency | null
}

/** Something that happened between what was said. */
export interface HappenedLine {
  readonly kind: 'tool' | 'agent' | 'node'
  readonly id: string
  readonly name: string
  readonly isOver: boolean
}

export type CallLine = SaidLine | HappenedLine
export type Latency = CallEvents['latency']['latency']

/** Something that is wrong: by its code where that is known, else in the words of who told it. */
export interface Trouble {
  readonly code: string
  readonly message: string
}

export interface CallState {
  readonly phase: 'idle' | 'starting' | 'joining' | 'live' | 'over'
  readonly callId: string | null
  readonly agentName: string
  readonly standIns: readonly string[]
  readonly lines: readonly CallLine[]
  readonly activity: CallEvents['activity']
  /** Whose ears are used; `none`: the person types. */
  readonly ears: 'browser' | 'server' | 'none'
  readonly isMuted: boolean
  readonly isReconnecting: boolean
  /** Measured before the words that it is about were told. */
  readonly openLatency: Latency | null
  /** The call goes on in spite of it. */
  readonly warning: Trouble | null
  /** There is no call because of it. */
  readonly trouble: Trouble | null
  /** What the server said instead of making a call. */
  readonly problem: Error | null
  readonly endReason: string | null
  readonly durationMs: number | null
}

export const NO_CALL: CallState = {
  phase: 'idle',
  callId: null,
  agentName: '',
  standIns: [],
  lines: [],
  activity: { agent: 'idle', user: 'silent' },
  ears: 'server',
  isMuted: false,
  isReconnecting: false,
  openLatency: null,
  warning: null,
  trouble: null,
  problem: null,
  endReason: null,
  durationMs: null,
}

export type CallAction =
  | { readonly type: 'starting' }
  | { readonly type: 'not-started'; readonly problem: Error | null; readonly trouble: Trouble | null }
  | { readonly type: 'joining'; readonly callId: string }
  | {
      readonly type: 'live'
      readonly agentName: string
      readonly standIns: readonly string[]
      readonly ears: CallState['ears']
    }
  | { readonly type: 'said'; readonly transcript: CallTranscript }
  | { readonly type: 'tool'; readonly name: string; readonly phase: 'started' | 'ended' }
  | { readonly type: 'agent'; readonly agentName: string }
  | { readonly type: 'node'; readonly name: string }
  | { readonly type: 'latency'; readonly latency: Latency }
  | { readonly type: 'activity'; readonly activity: CallEvents['activity']; readonly ears: CallState['ears'] }
  | { readonly type: 'muted'; readonly isMuted: boolean; readonly ears: CallState['ears'] }
  | { readonly type: 'reconnecting'; readonly isReconnecting: boolean }
  | { readonly type: 'warning'; readonly warning: Trouble | null; readonly ears: CallState['ears'] }
  | { readonly type: 'error'; readonly trouble: Trouble }
  | { readonly type: 'ended'; readonly reason: string; readonly durationMs: number }

export function afterCallAction(state: CallState, action: CallAction): CallState {
  switch (action.type) {
    case 'starting':
      return { ...NO_CALL, phase: 'starting' }
    case 'not-started':
      return { ...NO_CALL, callId: state.callId, problem: action.problem, trouble: action.trouble }
    case 'joining':
      return { ...state, phase: 'joining', callId: action.callId }
    case 'live': {
      const { agentName, standIns, ears } = action
      return { ...state, phase: 'live', agentName, standIns, ears }
    }
    case 'said':
      return afterSaid(state, action.transcript)
    case 'tool':
      return { ...state, lines: afterTool(state.lines, action) }
    case 'agent':
      return { ...addLine(state, 'agent', action.agentName), agentName: action.agentName }
    case 'node':
      return addLine(state, 'node', action.name)
    case 'latency':
      return afterLatency(state, action.latency)
    case 'activity':
      return { ...state, activity: action.activity, ears: action.ears }
    case 'muted':
      return { ...state, isMuted: action.isMuted, ears: action.ears }
    case 'reconnecting':
      return { ...state, isReconnecting: action.isReconnecting }
    case 'warning':
      return { ...state, warning: action.warning, ears: action.ears }
    case 'error':
      return { ...state, trouble: action.trouble }
    case 'ended': {
      const { reason: endReason, durationMs } = action
      return { ...state, phase: 'over', endReason, durationMs, warning: null, isReconnecting: false }
    }
  }
}

function addLine(state: CallState, kind: HappenedLine['kind'], name: string): CallState {
  const id = `${kind} ${state.lines.length}`
  return { ...state, lines: [...state.lines, { kind, id, name, isOver: true }] }
}

/** A later transcript with the id of an earlier one replaces it; one that ends without words was none. */
function afterSaid(state: CallState, { id, role, text, final, interrupted }: CallTranscript): CallState {
  const known = state.lines.find((line) => line.kind === 'said' && line.id === id)
  if (text === '' && final) return { ...state, lines: state.lines.filter((line) => line !== known) }
  const isAnswer = known === undefined && role === 'agent'
  const line: SaidLine = {
    kind: 'said',
    id,
    role,
    text,
    isFinal: final,
    isInterrupted: interrupted,
    latency: known?.kind === 'said' ? known.latency : isAnswer ? state.openLatency : null,
  }
  const lines = known === undefined ? [...state.lines, line] : state.lines.map((one) => (one === known ? line : one))
  return { ...state, lines, openLatency: isAnswer ? null : state.openLatency }
}

function afterTool(
  lines: readonly CallLine[],
  { name, phase }: Extract<CallAction, { type: 'tool' }>,
): readonly CallLine[] {
  if (phase === 'started') return [...lines, { kind: 'tool', id: `tool ${lines.length}`, name, isOver: false }]
  const open = lines.find((line) => line.kind === 'tool' && line.name === name && !line.isOver)
  return lines.map((line) => (line === open && line.kind === 'tool' ? { ...line, isOver: true } : line))
}

/** The latency belongs to the agent's words since the person's last ones, or to those that come next. */
function afterLatency(state: CallState, latency: Latency): CallState {
  const lastSaid = state.lines.findLast(({ kind }) => kind === 'said')
  if (lastSaid?.kind !== 'said' || lastSaid.role !== 'agent') return { ...state, openLatency: latency }
  return { ...state, lines: state.lines.map((line) => (line === lastSaid ? { ...lastSaid, latency } : line)) }
}
