import type { MonitoredCall } from '@parley/sdk'
import { useEffect, useMemo, useReducer, useRef } from 'react'
import { request } from '../../lib/api/request.ts'
import { loadBrowserCall } from '../../lib/browser-call.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { troubleOf } from '../../parts/test-panel/call-trouble.ts'
import { afterListenAction, type ListenAction, type ListenState, NOT_LISTENING } from './listen-state.ts'

/** How loud the call is, 0 to 1. */
export interface HeardLevel {
  readonly both: number
}
const SILENCE: HeardLevel = { both: 0 }

export interface Listening extends ListenState {
  /** Changes many times a second, so that only the meter listens. */
  readonly level: Store<HeardLevel>
  start(): void
  /** Tries again to play what the browser held back; from a click. */
  resumeAudio(): void
  /** Hears nothing more, or puts the note about the end away. */
  stop(): void
}

/** Hears a live call without being heard. It ends when the component goes. */
export function useListening(callId: string): Listening {
  const [state, dispatch] = useReducer(afterListenAction, NOT_LISTENING)
  const level = useMemo(() => createStore(SILENCE), [])
  const current = useRef<Attempt | null>(null)
  const stop = (): void => {
    current.current?.leave()
    current.current = null
    level.set(SILENCE)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it goes.
  useEffect(() => stop, [])
  return {
    ...state,
    level,
    start() {
      stop()
      const attempt = new Attempt((action) => current.current === attempt && dispatch(action), level)
      current.current = attempt
      dispatch({ type: 'starting' })
      void attempt.start(callId)
    },
    resumeAudio: () => current.current?.call?.resumeAudio(),
    stop() {
      stop()
      dispatch({ type: 'stopped' })
    },
  }
}

/** One time of listening, from the wish to its end; left, it ends wherever it is. */
class Attempt {
  readonly #tell: (action: ListenAction) => void
  readonly #level: Store<HeardLevel>
  #hasLeft = false
  #call: MonitoredCall | null = null

  constructor(tell: (action: ListenAction) => void, level: Store<HeardLevel>) {
    this.#tell = tell
    this.#level = level
  }

  get call(): MonitoredCall | null {
    return this.#call
  }

  leave(): void {
    this.#hasLeft = true
    this.#call?.end()
  }

  async start(callId: string): Promise<void> {
    try {
      const client = await loadBrowserCall()
      const { value } = await request('listenToCall', { path: { callId } })
      if (this.#hasLeft) return
      this.#follow(await client.listenToCall({ accessToken: value.accessToken }))
    } catch (error) {
      const trouble = troubleOf(error)
      const problem = error instanceof Error ? error : new Error(String(error))
      this.#tell({ type: 'failed', problem: trouble === null ? problem : null, trouble })
    }
  }

  #follow(call: MonitoredCall): void {
    this.#call = call
    if (this.#hasLeft) {
      call.end()
      return
    }
    const tell = this.#tell
    tell({ type: 'live' })
    call.on('level', (heard) => {
      this.#level.set(heard)
      // It is measured of what plays.
      tell({ type: 'blocked', isBlocked: false })
    })
    call.on('warning', ({ code }) => code === 'autoplay_blocked' && tell({ type: 'blocked', isBlocked: true }))
    call.on('reconnecting', () => tell({ type: 'reconnecting', isReconnecting: true }))
    call.on('reconnected', () => tell({ type: 'reconnecting', isReconnecting: false }))
    call.on('error', ({ code, message }) => tell({ type: 'failed', problem: null, trouble: { code, message } }))
    call.on('ended', () => {
      this.#level.set(SILENCE)
      tell({ type: 'call-over' })
    })
  }
}
