import type { Call, StartCallOptions } from '@parley/sdk'
import { useEffect, useMemo, useReducer, useRef } from 'react'
import { request } from '../../lib/api/request.ts'
import { loadBrowserCall } from '../../lib/browser-call.ts'
import { after } from '../../lib/clock.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { afterCallAction, type CallAction, type CallState, NO_CALL, type Trouble } from './call-state.ts'
import { troubleOf } from './call-trouble.ts'
import { problemWords } from './call-words.ts'
import type { BeginConversation } from './conversation.ts'

/** How loud both sides are, 0 to 1. */
export interface Levels {
  readonly user: number
  readonly agent: number
}
const SILENCE: Levels = { user: 0, agent: 0 }

/** What the person has chosen to speak and hear with; null is the system's own. */
export interface ChosenDevices {
  readonly microphone: string | null
  readonly speaker: string | null
}

export interface TestCall extends CallState {
  /** Change many times a second, so that only the meters listen. */
  readonly levels: Store<Levels>
  /** How long the call lasts by now. */
  elapsedMs(): number
  start(chosen: ChosenDevices, by: 'voice' | 'typing'): Promise<void>
  setMuted(isMuted: boolean): void
  say(text: string): void
  /** Rejects with a problem of the client; the device that was used before stays. */
  chooseDevices(chosen: Partial<ChosenDevices>): Promise<void>
  end(): void
}

/** So long a warning is shown that nobody can answer. */
const WARNING_MS = 8_000

/** A call with an agent by voice. It ends when the component goes. */
export function useTestCall(begin: BeginConversation): TestCall {
  const [state, dispatch] = useReducer(afterCallAction, NO_CALL)
  const levels = useMemo(() => createStore(SILENCE), [])
  const live = useRef<LiveCall | null>(null)
  useEffect(
    () => () => {
      live.current?.leave()
      live.current = null
    },
    [],
  )

  async function start(chosen: ChosenDevices, by: 'voice' | 'typing'): Promise<void> {
    live.current?.leave()
    const started = new LiveCall((action) => live.current === started && dispatch(action), levels)
    live.current = started
    dispatch({ type: 'starting' })
    await started.start(begin, optionsOf(chosen, by))
  }

  return {
    ...state,
    levels,
    elapsedMs: () => live.current?.call?.elapsedMs ?? 0,
    start,
    setMuted(isMuted) {
      const call = live.current?.call
      if (!call) return
      if (isMuted) call.mute()
      else call.unmute()
      dispatch({ type: 'muted', isMuted, ears: call.recognition })
    },
    say: (text) => live.current?.call?.type(text),
    async chooseDevices({ microphone, speaker }) {
      const call = live.current?.call
      if (microphone !== undefined) await call?.setMicrophone(microphone)
      if (speaker) await call?.setSpeaker(speaker)
    },
    end: () => live.current?.call?.end(),
  }
}

type CallOptions = Omit<StartCallOptions, 'accessToken'>

function optionsOf({ microphone, speaker }: ChosenDevices, by: 'voice' | 'typing'): CallOptions {
  return {
    ...(by === 'typing' ? { microphone: false } : microphone !== null && { microphone }),
    ...(speaker !== null && { speaker }),
  }
}

/** One call, from the wish to have it to its end; left, it ends wherever it is. */
class LiveCall {
  readonly #tell: (action: CallAction) => void
  readonly #levels: Store<Levels>
  #hasLeft = false
  #call: Call | null = null
  #hideWarning: (() => void) | null = null

  constructor(tell: (action: CallAction) => void, levels: Store<Levels>) {
    this.#tell = tell
    this.#levels = levels
  }

  get call(): Call | null {
    return this.#call
  }

  leave(): void {
    this.#hasLeft = true
    this.#hideWarning?.()
    this.#call?.end()
  }

  async start(begin: BeginConversation, options: CallOptions): Promise<void> {
    let callId: string | null = null
    try {
      // A call that nobody could join would only take a place.
      if (!isSecureContext) return this.#fail({ code: 'insecure_context', message: '' })
      const client = await loadBrowserCall()
      const beginning = await begin()
      if (beginning === null) return this.#tell({ type: 'not-started', problem: null, trouble: null })
      if (this.#hasLeft) return
      const { value } = await request('createWebCall', { body: beginning })
      callId = value.call.callId
      this.#tell({ type: 'joining', callId })
      const call = await client.startCall({ ...options, accessToken: value.call.accessToken ?? '' })
      this.#follow(call)
      if (this.#hasLeft) call.end()
    } catch (error) {
      if (callId !== null) void request('endCall', { path: { callId } }).catch(() => undefined)
      const trouble = troubleOf(error)
      if (trouble !== null) return this.#fail(trouble)
      this.#tell({
        type: 'not-started',
        problem: error instanceof Error ? error : new Error(String(error)),
        trouble: null,
      })
    }
  }

  #fail(trouble: Trouble): void {
    this.#tell({ type: 'not-started', problem: null, trouble })
  }

  #follow(call: Call): void {
    this.#call = call
    const tell = this.#tell
    tell({ type: 'live', agentName: call.agentName, standIns: call.standIns, ears: call.recognition })
    call.on('activity', (activity) => tell({ type: 'activity', activity, ears: call.recognition }))
    call.on('transcript', (transcript) => tell({ type: 'said', transcript }))
    call.on('tool', ({ name, phase }) => tell({ type: 'tool', name, phase }))
    call.on('agent', ({ agentName }) => tell({ type: 'agent', agentName }))
    call.on('node-transition', ({ nodeId, nodeName }) => tell({ type: 'node', name: nodeName || nodeId }))
    call.on('latency', ({ latency }) => tell({ type: 'latency', latency }))
    call.on('level', (heard) => this.#levels.set(heard))
    call.on('reconnecting', () => tell({ type: 'reconnecting', isReconnecting: true }))
    call.on('reconnected', () => tell({ type: 'reconnecting', isReconnecting: false }))
    call.on('warning', (warning) => this.#warn(call, warning))
    call.on('error', ({ code, message }) => tell({ type: 'error', trouble: { code, message } }))
    call.on('ended', ({ reason }) => {
      this.#hideWarning?.()
      this.#levels.set(SILENCE)
      tell({ type: 'ended', reason, durationMs: call.elapsedMs })
    })
  }

  #warn(call: Call, warning: Trouble): void {
    this.#hideWarning?.()
    this.#tell({ type: 'warning', warning, ears: call.recognition })
    this.#hideWarning = after(WARNING_MS, () => this.#tell({ type: 'warning', warning: null, ears: call.recognition }))
  }
}

/** Words of a problem that the client has with a device, in English. */
export function deviceTrouble(error: unknown): string {
  const trouble = troubleOf(error)
  return trouble === null ? '' : (problemWords(trouble.code)?.[0] ?? trouble.message)
}
