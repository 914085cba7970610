import type { Clock } from '@parley/engine/ports'
import type { CallOutcome } from '@parley/engine/voice/session/session-ports'
import { AppError } from '../../../kernel/errors.ts'
import type { Leases } from '../../../kernel/work/nodes.ts'
import type { StoredCall } from '../call-responses.ts'
import type { ActiveCalls, CallCommand, CallRejection, CallStart, LiveCallHost, StartedCall } from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'
import type { CallStarter } from '../states/call-starter.ts'
import { type ActiveCall, type ActiveCallDependencies, openActiveCall } from './active-call.ts'
import { type PreparationDependencies, type PreparedCall, prepareCall } from './prepare-call.ts'

/** Retry interval while the database is unavailable. */
const RETRY_MS = 1_000

interface EndWriterDependencies {
  readonly clock: Clock
  readonly callEnder: Pick<CallEnder, 'endById'>
  readonly logError: (name: string, error: unknown) => void
}

/** Stores the outcomes of ended calls. */
interface CallEndWriter {
  /** Resolves when the outcome is stored or the writer gives up. Never rejects. */
  write(callId: string, outcome: Pick<CallOutcome, 'reason' | 'endedAtMs' | 'state'>): Promise<void>
  /** Retries each pending write once. Lost-call recovery handles the rest. */
  stopRetrying(): void
}

export function createCallEndWriter({ clock, callEnder, logError }: EndWriterDependencies): CallEndWriter {
  const pendingRetries = new Set<() => void>()
  let isStopped = false
  /** Whether the current database outage is already logged. */
  let isOutageLogged = false

  async function waitForRetry(): Promise<void> {
    if (isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.after(RETRY_MS, resolve)
    pendingRetries.add(resolve)
    await promise
    pendingRetries.delete(resolve)
    cancel()
  }

  return {
    async write(callId, { reason, endedAtMs, state }) {
      const callEnd = { reason, endedAtMs, collectedVariables: state?.collectedVariables ?? {} }
      for (let isLastAttempt = isStopped; ; isLastAttempt = isStopped) {
        try {
          await callEnder.endById(callId, callEnd)
          isOutageLogged = false
          return
        } catch (error) {
          if (!isOutageLogged || isLastAttempt) logError('write the end of a call', error)
          isOutageLogged = true
        }
        if (isLastAttempt) return
        await waitForRetry()
      }
    },

    stopRetrying() {
      isStopped = true
      for (const resume of pendingRetries) resume()
    },
  }
}

export interface LiveCallsDependencies extends PreparationDependencies, ActiveCallDependencies {
  readonly leases: Pick<Leases, 'acquire' | 'release' | 'onLost'>
  readonly starter: CallStarter
  readonly callEnder: Pick<CallEnder, 'endById'>
  /** Whether the call is still assigned to this node. */
  readonly isHeldByThisNode: (callId: string) => Promise<boolean>
}

export interface LiveCalls extends LiveCallHost, ActiveCalls {
  /** Retries each pending write of an outcome once. Lost-call recovery handles the rest. */
  stopRetrying(): void
}

/** Retry interval for reacquiring a slot. */
const REACQUIRE_INTERVAL_MS = 1_000

export function createLiveCalls(dependencies: LiveCallsDependencies): LiveCalls {
  return new CallHost(dependencies)
}

class CallHost implements LiveCalls {
  readonly #dependencies: LiveCallsDependencies
  readonly #activeCalls = new Map<string, ActiveCall>()
  readonly #endWriter: CallEndWriter

  constructor(dependencies: LiveCallsDependencies) {
    this.#dependencies = dependencies
    this.#endWriter = createCallEndWriter(dependencies)
    dependencies.leases.onLost((callId) => this.#reacquireSlot(callId))
  }

  get activeCount(): number {
    return this.#activeCalls.size
  }

  async start(callStart: CallStart): Promise<StartedCall | CallRejection> {
    const { starter, clock } = this.#dependencies
    const lookup = await starter.find(callStart.callId)
    if (!lookup.ok) return lookup
    const preparedCall = await this.#prepare(lookup.call, callStart)
    if ('ok' in preparedCall) return preparedCall
    const result = await starter.start(lookup.call)
    if (!result.ok) {
      preparedCall.voiceAgents.close()
      return result
    }
    const { call } = result
    try {
      this.#addCall(call, openActiveCall(this.#dependencies, call, { ...callStart, preparedCall }))
    } catch (error) {
      return this.#endFailedStart(call, preparedCall, error)
    }
    return {
      ok: true,
      callId: call.call_id,
      agentName: call.agent_name,
      language: preparedCall.voiceAgent.speaking.language,
      recognition: preparedCall.recognition,
      standIns: [...preparedCall.standIns, ...preparedCall.voiceAgents.standIns],
      startedAtMs: call.started_at ?? clock.now(),
    }
  }

  sendCommand(callId: string, command: CallCommand): boolean {
    const activeCall = this.#activeCalls.get(callId)
    activeCall?.execute(command)
    return activeCall !== undefined
  }

  endAll(): void {
    for (const activeCall of this.#activeCalls.values()) activeCall.endAsLost()
  }

  stopRetrying(): void {
    this.#endWriter.stopRetrying()
  }

  async #prepare(call: StoredCall, { leg }: CallStart): Promise<PreparedCall | CallRejection> {
    try {
      return await prepareCall(this.#dependencies, call, leg)
    } catch (error) {
      // The message must not reveal the server's configuration.
      this.#dependencies.logError('prepare a call', error)
      const retry = !(error instanceof AppError) || error.code === 'unavailable'
      const message = `The call cannot start right now. ${retry ? 'Try again in a moment.' : 'Contact the sender of the link.'}`
      return { ok: false, code: 'unavailable', message, retry }
    }
  }

  #addCall({ call_id: callId }: StoredCall, activeCall: ActiveCall): void {
    const { leases, background } = this.#dependencies
    this.#activeCalls.set(callId, activeCall)
    activeCall.start()
    background.run('call', async () => {
      const outcome = await activeCall.ended
      this.#activeCalls.delete(callId)
      await Promise.all([leases.release(callId), activeCall.close()])
      await this.#endWriter.write(callId, outcome)
    })
  }

  /** Ends a call that failed to start after it was marked as ongoing. */
  #endFailedStart({ call_id: callId }: StoredCall, preparedCall: PreparedCall, error: unknown): CallRejection {
    const { background, clock, leases, logError } = this.#dependencies
    logError('start a call', error)
    preparedCall.voiceAgents.close()
    this.#activeCalls.delete(callId)
    const endedAtMs = clock.now()
    background.run('call', async () => {
      await leases.release(callId)
      await this.#endWriter.write(callId, { reason: 'error_unknown', endedAtMs, state: null })
    })
    return { ok: false, code: 'call_ended', message: 'The call could not start.', retry: false }
  }

  /** Reacquires the slot of a call whose lease expired. The call continues unless another node has declared it lost. */
  #reacquireSlot(callId: string): void {
    const { background, leases, isHeldByThisNode, clock, logError } = this.#dependencies
    const activeCall = this.#activeCalls.get(callId)
    if (activeCall === undefined) return
    background.run('reacquire a slot', async () => {
      // Retries during an outage. Other nodes cannot declare the call lost while the database is unavailable.
      while (this.#activeCalls.get(callId) === activeCall) {
        try {
          if (await isHeldByThisNode(callId)) await leases.acquire(activeCall.workspaceId, callId)
          else activeCall.endAsLost()
          return
        } catch (error) {
          logError('reacquire a slot', error)
        }
        await new Promise<void>((resolve) => clock.after(REACQUIRE_INTERVAL_MS, resolve))
      }
    })
  }
}
