import type { Trouble } from '../../parts/test-panel/call-state.ts'

/** How somebody hears a live call. */
export interface ListenState {
  readonly phase: 'idle' | 'starting' | 'live' | 'over'
  readonly isReconnecting: boolean
  /** The browser lets no sound play yet. */
  readonly isBlocked: boolean
  /** Why nothing is heard any more, or at all; both null where the call is simply over. */
  readonly problem: Error | null
  readonly trouble: Trouble | null
}

export const NOT_LISTENING: ListenState = {
  phase: 'idle',
  isReconnecting: false,
  isBlocked: false,
  problem: null,
  trouble: null,
}

export type ListenAction =
  | { readonly type: 'starting' | 'live' | 'call-over' | 'stopped' }
  | { readonly type: 'reconnecting'; readonly isReconnecting: boolean }
  | { readonly type: 'blocked'; readonly isBlocked: boolean }
  | { readonly type: 'failed'; readonly problem: Error | null; readonly trouble: Trouble | null }

/** Codes that only say that nobody speaks there any more. */
const OVER: ReadonlySet<string> = new Set(['call_not_live', 'call_ended'])

export function afterListenAction(state: ListenState, action: ListenAction): ListenState {
  switch (action.type) {
    case 'starting':
    case 'live':
      return { ...NOT_LISTENING, phase: action.type }
    case 'reconnecting':
      return { ...state, isReconnecting: action.isReconnecting }
    case 'blocked':
      return state.isBlocked === action.isBlocked ? state : { ...state, isBlocked: action.isBlocked }
    case 'call-over':
      // Why it failed was told before.
      return state.phase === 'over' ? state : { ...NOT_LISTENING, phase: 'over' }
    case 'failed': {
      const { problem, trouble } = action
      const code = trouble?.code ?? (problem !== null && 'code' in problem ? String(problem.code) : '')
      const why = OVER.has(code) ? {} : { problem, trouble }
      return { ...NOT_LISTENING, phase: 'over', ...why }
    }
    case 'stopped':
      return NOT_LISTENING
  }
}
