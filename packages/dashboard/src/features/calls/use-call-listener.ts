import type { MonitoredCall } from '@parley/sdk'
import { useEffect, useMemo, useReducer, useRef } from 'react'
import { request } from '../../lib/api/request.ts'
import { loadBrowserCall } from '../../lib/browser-call.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { toCallProblem } from '../../parts/test-panel/call-problem.ts'
import type { CallProblem } from '../../parts/test-panel/call-state.ts'

export interface ListenState {
  readonly phase: 'idle' | 'starting' | 'live' | 'ended'
  readonly isReconnecting: boolean
  /** Whether the browser blocks audio until the user interacts with the page. */
  readonly isBlocked: boolean
  /** Why listening failed. Both fields are null if the call simply ended. */
  readonly problem: Error | null
  readonly callProblem: CallProblem | null
}

export const IDLE_STATE: ListenState = {
  phase: 'idle',
  isReconnecting: false,
  isBlocked: false,
  problem: null,
  callProblem: null,
}

export type ListenAction =
  | { readonly type: 'starting' | 'live' | 'call-ended' | 'stopped' }
  | { readonly type: 'reconnecting'; readonly isReconnecting: boolean }
  | { readonly type: 'blocked'; readonly isBlocked: boolean }
  | { readonly type: 'failed'; readonly problem: Error | null; readonly callProblem: CallProblem | null }

/** Error codes that only indicate that the call has ended. */
const ENDED_CODES: ReadonlySet<string> = new Set(['call_not_live', 'call_ended'])

export function reduceListenState(state: ListenState, action: ListenAction): ListenState {
  switch (action.type) {
    case 'starting':
    case 'live':
      return { ...IDLE_STATE, phase: action.type }
    case 'reconnecting':
      return { ...state, isReconnecting: action.isReconnecting }
    case 'blocked':
      return state.isBlocked === action.isBlocked ? state : { ...state, isBlocked: action.isBlocked }
    case 'call-ended':
      // A failure that ended listening stays visible.
      return state.phase === 'ended' ? state : { ...IDLE_STATE, phase: 'ended' }
    case 'failed': {
      const { problem, callProblem } = action
      const code = callProblem?.code ?? (problem !== null && 'code' in problem ? String(problem.code) : '')
      return { ...IDLE_STATE, phase: 'ended', ...(!ENDED_CODES.has(code) && { problem, callProblem }) }
    }
    case 'stopped':
      return IDLE_STATE
  }
}

/** Volume of the call, from 0 to 1. */
export interface VolumeLevel {
  readonly both: number
}
const SILENT_LEVEL: VolumeLevel = { both: 0 }

export interface CallListener extends ListenState {
  /** A store, because the volume changes many times per second. */
  readonly level: Store<VolumeLevel>
  start(): void
  /** Plays audio that the browser blocked. Must be called from a click handler. */
  resumeAudio(): void
  stop(): void
}

/** Listens to a live call without being heard. Stops when the component unmounts. */
export function useCallListener(callId: string): CallListener {
  const [state, dispatch] = useReducer(reduceListenState, IDLE_STATE)
  const level = useMemo(() => createStore(SILENT_LEVEL), [])
  const attemptRef = useRef<ListenAttempt | null>(null)
  const stop = (): void => {
    attemptRef.current?.stop()
    attemptRef.current = null
    level.set(SILENT_LEVEL)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on unmount.
  useEffect(() => stop, [])
  return {
    ...state,
    level,
    start() {
      stop()
      const attempt = new ListenAttempt((action) => attemptRef.current === attempt && dispatch(action), level)
      attemptRef.current = attempt
      dispatch({ type: 'starting' })
      void attempt.start(callId)
    },
    resumeAudio: () => attemptRef.current?.call?.resumeAudio(),
    stop() {
      stop()
      dispatch({ type: 'stopped' })
    },
  }
}

class ListenAttempt {
  readonly #dispatch: (action: ListenAction) => void
  readonly #level: Store<VolumeLevel>
  #isStopped = false
  #call: MonitoredCall | null = null

  constructor(dispatch: (action: ListenAction) => void, level: Store<VolumeLevel>) {
    this.#dispatch = dispatch
    this.#level = level
  }

  get call(): MonitoredCall | null {
    return this.#call
  }

  stop(): void {
    this.#isStopped = true
    this.#call?.end()
  }

  async start(callId: string): Promise<void> {
    try {
      const client = await loadBrowserCall()
      const { value } = await request('listenToCall', { path: { callId } })
      if (this.#isStopped) return
      this.#attach(await client.listenToCall({ accessToken: value.accessToken }))
    } catch (error) {
      const callProblem = toCallProblem(error)
      const problem = error instanceof Error ? error : new Error(String(error))
      this.#dispatch({ type: 'failed', problem: callProblem === null ? problem : null, callProblem })
    }
  }

  #attach(call: MonitoredCall): void {
    this.#call = call
    if (this.#isStopped) {
      call.end()
      return
    }
    const dispatch = this.#dispatch
    dispatch({ type: 'live' })
    call.on('level', (volume) => {
      this.#level.set(volume)
      // Volume updates mean that audio is playing.
      dispatch({ type: 'blocked', isBlocked: false })
    })
    call.on('warning', ({ code }) => code === 'autoplay_blocked' && dispatch({ type: 'blocked', isBlocked: true }))
    call.on('reconnecting', () => dispatch({ type: 'reconnecting', isReconnecting: true }))
    call.on('reconnected', () => dispatch({ type: 'reconnecting', isReconnecting: false }))
    call.on('error', ({ code, message }) => dispatch({ type: 'failed', problem: null, callProblem: { code, message } }))
    call.on('ended', () => {
      this.#level.set(SILENT_LEVEL)
      dispatch({ type: 'call-ended' })
    })
  }
}
