import type { Call, StartCallOptions } from '@parley/sdk'
import { useEffect, useMemo, useReducer, useRef } from 'react'
import { request } from '../../lib/api/request.ts'
import { loadBrowserCall } from '../../lib/browser-call.ts'
import { setTimer } from '../../lib/clock.ts'
import { createStore, type Store } from '../../lib/store.ts'
import { toCallProblem } from './call-problem.ts'
import { type CallAction, type CallInput, type CallProblem, type CallState, NO_CALL, reduceCall } from './call-state.ts'
import { describeProblem, isRecognitionWarning } from './call-text.ts'
import type { PrepareConversation } from './conversation.ts'

/** Volume of both sides, from 0 to 1. */
export interface VolumeLevels {
  readonly user: number
  readonly agent: number
}
const SILENT_LEVELS: VolumeLevels = { user: 0, agent: 0 }

/** Selected devices; null for the system default. */
export interface SelectedDevices {
  readonly microphone: string | null
  readonly speaker: string | null
}

export interface TestCall extends CallState {
  /** A store, because levels change many times per second and only meters need them. */
  readonly levels: Store<VolumeLevels>
  elapsedMs(): number
  start(selectedDevices: SelectedDevices, input: CallInput): Promise<void>
  setMuted(isMuted: boolean): void
  sendText(text: string): void
  /** Rejects if the device cannot be used. The previous device stays selected. */
  selectDevices(selectedDevices: Partial<SelectedDevices>): Promise<void>
  end(): void
}

const WARNING_DURATION_MS = 8_000

/** Runs a call with the latest version of an agent. The call ends when the component unmounts. */
export function useTestCall(prepare: PrepareConversation): TestCall {
  const [state, dispatch] = useReducer(reduceCall, NO_CALL)
  const levels = useMemo(() => createStore(SILENT_LEVELS), [])
  const liveCall = useRef<LiveCall | null>(null)
  useEffect(
    () => () => {
      liveCall.current?.leave()
      liveCall.current = null
    },
    [],
  )

  async function start(selectedDevices: SelectedDevices, input: CallInput): Promise<void> {
    liveCall.current?.leave()
    const newCall = new LiveCall((action) => liveCall.current === newCall && dispatch(action), levels)
    liveCall.current = newCall
    dispatch({ type: 'starting', input })
    await newCall.start(prepare, toCallOptions(selectedDevices, input))
  }

  return {
    ...state,
    levels,
    elapsedMs: () => liveCall.current?.call?.elapsedMs ?? 0,
    start,
    setMuted(isMuted) {
      const call = liveCall.current?.call
      if (!call) return
      if (isMuted) call.mute()
      else call.unmute()
      dispatch({ type: 'muted', isMuted, recognition: call.recognition })
    },
    sendText: (text) => liveCall.current?.call?.type(text),
    async selectDevices({ microphone, speaker }) {
      const call = liveCall.current?.call
      if (microphone !== undefined) {
        await call?.setMicrophone(microphone)
        dispatch({ type: 'input', input: 'voice' })
      }
      if (speaker) await call?.setSpeaker(speaker)
    },
    end: () => liveCall.current?.call?.end(),
  }
}

type CallOptions = Omit<StartCallOptions, 'accessToken'>

function toCallOptions({ microphone, speaker }: SelectedDevices, input: CallInput): CallOptions {
  return {
    ...(input === 'typing' ? { microphone: false } : microphone !== null && { microphone }),
    ...(speaker !== null && { speaker }),
  }
}

class LiveCall {
  readonly #emit: (action: CallAction) => void
  readonly #levels: Store<VolumeLevels>
  #hasLeft = false
  #call: Call | null = null
  #hideWarning: (() => void) | null = null

  constructor(emit: (action: CallAction) => void, levels: Store<VolumeLevels>) {
    this.#emit = emit
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

  async start(prepare: PrepareConversation, options: CallOptions): Promise<void> {
    let callId: string | null = null
    try {
      // A call that the user cannot join would occupy a concurrency slot.
      if (!isSecureContext) return this.#fail({ code: 'insecure_context', message: '' })
      const client = await loadBrowserCall()
      const params = await prepare()
      if (params === null) return this.#emit({ type: 'not-started', problem: null, callProblem: null })
      if (this.#hasLeft) return
      const { value } = await request('createWebCall', { body: params })
      callId = value.call.callId
      this.#emit({ type: 'joining', callId })
      const call = await client.startCall({ ...options, accessToken: value.call.accessToken ?? '' })
      this.#subscribe(call)
      if (this.#hasLeft) call.end()
    } catch (error) {
      if (callId !== null) void request('endCall', { path: { callId } }).catch(() => undefined)
      const callProblem = toCallProblem(error)
      if (callProblem !== null) return this.#fail(callProblem)
      this.#emit({
        type: 'not-started',
        problem: error instanceof Error ? error : new Error(String(error)),
        callProblem: null,
      })
    }
  }

  #fail(callProblem: CallProblem): void {
    this.#emit({ type: 'not-started', problem: null, callProblem })
  }

  #subscribe(call: Call): void {
    this.#call = call
    const emit = this.#emit
    emit({ type: 'live', agentName: call.agentName, standIns: call.standIns, recognition: call.recognition })
    call.on('activity', (activity) => emit({ type: 'activity', activity, recognition: call.recognition }))
    call.on('transcript', (transcript) => emit({ type: 'transcript', transcript }))
    call.on('tool', ({ name, phase }) => emit({ type: 'tool', name, phase }))
    call.on('agent', ({ agentName }) => emit({ type: 'agent', agentName }))
    call.on('node-transition', ({ nodeId, nodeName }) => emit({ type: 'node', name: nodeName || nodeId }))
    call.on('latency', ({ latency }) => emit({ type: 'latency', latency }))
    call.on('level', (levels) => this.#levels.set(levels))
    call.on('reconnecting', () => emit({ type: 'reconnecting', isReconnecting: true }))
    call.on('reconnected', () => emit({ type: 'reconnecting', isReconnecting: false }))
    call.on('warning', (warning) => this.#warn(call, warning))
    call.on('error', ({ code, message }) => emit({ type: 'error', callProblem: { code, message } }))
    call.on('ended', ({ reason }) => {
      this.#hideWarning?.()
      this.#levels.set(SILENT_LEVELS)
      emit({ type: 'ended', reason, durationMs: call.elapsedMs })
    })
  }

  #warn(call: Call, warning: CallProblem): void {
    this.#hideWarning?.()
    if (warning.code === 'no_microphone') this.#emit({ type: 'input', input: 'typing' })
    // The panel displays one note about recognition, based on `recognition`.
    const displayedWarning = isRecognitionWarning(warning.code) ? null : warning
    this.#emit({ type: 'warning', warning: displayedWarning, recognition: call.recognition })
    this.#hideWarning = setTimer(WARNING_DURATION_MS, () =>
      this.#emit({ type: 'warning', warning: null, recognition: call.recognition }),
    )
  }
}

/** Returns a catalog message that explains why a device cannot be used. */
export function describeDeviceProblem(error: unknown): string {
  const callProblem = toCallProblem(error)
  return callProblem === null ? '' : (describeProblem(callProblem.code)?.[0] ?? callProblem.message)
}
