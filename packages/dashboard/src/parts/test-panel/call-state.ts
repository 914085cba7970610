import type { CallEvents, CallTranscript } from '@parley/sdk'

/** A spoken or typed utterance. */
export interface UtteranceLine {
  readonly kind: 'utterance'
  readonly id: string
  readonly role: 'agent' | 'user'
  readonly text: string
  readonly isFinal: boolean
  readonly isInterrupted: boolean
  /** Response time, or null if it was not measured. */
  readonly latency: Latency | null
}

/** An event between utterances. */
export interface EventLine {
  readonly kind: 'tool' | 'agent' | 'node'
  readonly id: string
  readonly name: string
  readonly isDone: boolean
}

export type CallInput = 'voice' | 'typing'
export type CallLine = UtteranceLine | EventLine
export type Latency = CallEvents['latency']['latency']

export interface CallProblem {
  readonly code: string
  readonly message: string
}

export interface CallState {
  readonly phase: 'idle' | 'starting' | 'joining' | 'live' | 'ended'
  readonly callId: string | null
  readonly agentName: string
  readonly standIns: readonly string[]
  readonly lines: readonly CallLine[]
  readonly activity: CallEvents['activity']
  /** The component that currently recognizes speech. */
  readonly recognition: 'browser' | 'server' | 'none'
  /** Users without a microphone type their messages. */
  readonly input: CallInput
  readonly isMuted: boolean
  readonly isReconnecting: boolean
  /** A latency received before its utterance. */
  readonly pendingLatency: Latency | null
  readonly warning: CallProblem | null
  readonly callProblem: CallProblem | null
  /** Why the server did not create a call. */
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
  recognition: 'server',
  input: 'voice',
  isMuted: false,
  isReconnecting: false,
  pendingLatency: null,
  warning: null,
  callProblem: null,
  problem: null,
  endReason: null,
  durationMs: null,
}

export type CallAction =
  | { readonly type: 'starting'; readonly input: CallInput }
  | { readonly type: 'input'; readonly input: CallInput }
  | { readonly type: 'not-started'; readonly problem: Error | null; readonly callProblem: CallProblem | null }
  | { readonly type: 'joining'; readonly callId: string }
  | {
      readonly type: 'live'
      readonly agentName: string
      readonly standIns: readonly string[]
      readonly recognition: CallState['recognition']
    }
  | { readonly type: 'transcript'; readonly transcript: CallTranscript }
  | { readonly type: 'tool'; readonly name: string; readonly phase: 'started' | 'ended' }
  | { readonly type: 'agent'; readonly agentName: string }
  | { readonly type: 'node'; readonly name: string }
  | { readonly type: 'latency'; readonly latency: Latency }
  | {
      readonly type: 'activity'
      readonly activity: CallEvents['activity']
      readonly recognition: CallState['recognition']
    }
  | { readonly type: 'muted'; readonly isMuted: boolean; readonly recognition: CallState['recognition'] }
  | { readonly type: 'reconnecting'; readonly isReconnecting: boolean }
  | { readonly type: 'warning'; readonly warning: CallProblem | null; readonly recognition: CallState['recognition'] }
  | { readonly type: 'error'; readonly callProblem: CallProblem }
  | { readonly type: 'ended'; readonly reason: string; readonly durationMs: number }

export function reduceCall(state: CallState, action: CallAction): CallState {
  switch (action.type) {
    case 'starting':
      return { ...NO_CALL, phase: 'starting', input: action.input }
    case 'input':
      return { ...state, input: action.input }
    case 'not-started':
      return { ...NO_CALL, callId: state.callId, problem: action.problem, callProblem: action.callProblem }
    case 'joining':
      return { ...state, phase: 'joining', callId: action.callId }
    case 'live': {
      const { agentName, standIns, recognition } = action
      return { ...state, phase: 'live', agentName, standIns, recognition }
    }
    case 'transcript':
      return applyTranscript(state, action.transcript)
    case 'tool':
      return { ...state, lines: applyToolEvent(state.lines, action) }
    case 'agent':
      return { ...addEventLine(state, 'agent', action.agentName), agentName: action.agentName }
    case 'node':
      return addEventLine(state, 'node', action.name)
    case 'latency':
      return applyLatency(state, action.latency)
    case 'activity':
      return { ...state, activity: action.activity, recognition: action.recognition }
    case 'muted':
      return { ...state, isMuted: action.isMuted, recognition: action.recognition }
    case 'reconnecting':
      return { ...state, isReconnecting: action.isReconnecting }
    case 'warning':
      return { ...state, warning: action.warning, recognition: action.recognition }
    case 'error':
      return { ...state, callProblem: action.callProblem }
    case 'ended': {
      const { reason: endReason, durationMs } = action
      return { ...state, phase: 'ended', endReason, durationMs, warning: null, isReconnecting: false }
    }
  }
}

function addEventLine(state: CallState, kind: EventLine['kind'], name: string): CallState {
  const id = `${kind} ${state.lines.length}`
  return { ...state, lines: [...state.lines, { kind, id, name, isDone: true }] }
}

/** Adds a transcript or replaces the one with the same ID. An empty final transcript removes it. */
function applyTranscript(state: CallState, { id, role, text, final, interrupted }: CallTranscript): CallState {
  const existingLine = state.lines.find((line) => line.kind === 'utterance' && line.id === id)
  if (text === '' && final) return { ...state, lines: state.lines.filter((line) => line !== existingLine) }
  const isNewReply = existingLine === undefined && role === 'agent'
  const line: UtteranceLine = {
    kind: 'utterance',
    id,
    role,
    text,
    isFinal: final,
    isInterrupted: interrupted,
    latency: existingLine?.kind === 'utterance' ? existingLine.latency : isNewReply ? state.pendingLatency : null,
  }
  const lines =
    existingLine === undefined
      ? [...state.lines, line]
      : state.lines.map((existing) => (existing === existingLine ? line : existing))
  return { ...state, lines, pendingLatency: isNewReply ? null : state.pendingLatency }
}

function applyToolEvent(
  lines: readonly CallLine[],
  { name, phase }: Extract<CallAction, { type: 'tool' }>,
): readonly CallLine[] {
  if (phase === 'started') return [...lines, { kind: 'tool', id: `tool ${lines.length}`, name, isDone: false }]
  const runningTool = lines.find((line) => line.kind === 'tool' && line.name === name && !line.isDone)
  return lines.map((line) => (line === runningTool && line.kind === 'tool' ? { ...line, isDone: true } : line))
}

/** Adds a latency to the agent's last utterance, or keeps it for the next one. */
function applyLatency(state: CallState, latency: Latency): CallState {
  const lastUtterance = state.lines.findLast(({ kind }) => kind === 'utterance')
  if (lastUtterance?.kind !== 'utterance' || lastUtterance.role !== 'agent')
    return { ...state, pendingLatency: latency }
  return { ...state, lines: state.lines.map((line) => (line === lastUtterance ? { ...lastUtterance, latency } : line)) }
}
