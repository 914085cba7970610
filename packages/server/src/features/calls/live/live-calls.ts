import { AppError } from '../../../kernel/errors.ts'
import type { Leases } from '../../../kernel/work/nodes.ts'
import type { StoredCall } from '../call-responses.ts'
import type { ActiveCalls, CallCommand, CallRefusal, CallStart, LiveCallHost, StartedCall } from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'
import type { CallStarter } from '../states/call-starter.ts'
import { type ActiveCall, type ActiveCallDependencies, openActiveCall } from './active-call.ts'
import { createEndWriter, type EndWriter } from './end-writer.ts'
import { type Preparation, type PreparationDependencies, prepareCall } from './prepare-call.ts'

export interface LiveCallsDependencies extends PreparationDependencies, ActiveCallDependencies {
  readonly leases: Pick<Leases, 'take' | 'release' | 'onLost'>
  readonly starter: CallStarter
  readonly callEnder: Pick<CallEnder, 'endById'>
  /** Whether the call is this node's as far as its row says. */
  readonly isOurs: (callId: string) => Promise<boolean>
}

/** The calls of this node. */
export interface LiveCalls extends LiveCallHost, ActiveCalls {
  /** Ends of calls that could not be written down yet are tried once more, and then left to whoever finds the calls lost. */
  giveUp(): void
}

/** Between two tries to take a slot back. */
const REACQUIRE_INTERVAL_MS = 1_000

export function createLiveCalls(dependencies: LiveCallsDependencies): LiveCalls {
  return new CallHost(dependencies)
}

class CallHost implements LiveCalls {
  readonly #dependencies: LiveCallsDependencies
  readonly #active = new Map<string, ActiveCall>()
  readonly #endWriter: EndWriter

  constructor(dependencies: LiveCallsDependencies) {
    this.#dependencies = dependencies
    this.#endWriter = createEndWriter(dependencies)
    dependencies.leases.onLost((callId) => this.#reacquireSlot(callId))
  }

  get activeCount(): number {
    return this.#active.size
  }

  async start(start: CallStart): Promise<StartedCall | CallRefusal> {
    const { starter, clock } = this.#dependencies
    const found = await starter.find(start.callId)
    if (!found.ok) return found
    const preparation = await this.#prepare(found.call, start)
    if ('ok' in preparation) return preparation
    const started = await starter.start(found.call)
    if (!started.ok) {
      preparation.classifier.close()
      return started
    }
    const { call } = started
    try {
      this.#addCall(call, openActiveCall(this.#dependencies, call, { ...start, preparation }))
    } catch (error) {
      return this.#endUnstarted(call, preparation, error)
    }
    return {
      ok: true,
      callId: call.call_id,
      agentName: call.agent_name,
      language: preparation.spoken.speaking.language,
      recognition: preparation.recognition,
      standIns: [...preparation.standIns, ...preparation.agents.standIns],
      startedAtMs: call.started_at ?? clock.now(),
    }
  }

  command(callId: string, command: CallCommand): boolean {
    const active = this.#active.get(callId)
    active?.command(command)
    return active !== undefined
  }

  endAll(): void {
    for (const active of this.#active.values()) active.endLost()
  }

  giveUp(): void {
    this.#endWriter.giveUp()
  }

  async #prepare(call: StoredCall, { leg }: CallStart): Promise<Preparation | CallRefusal> {
    try {
      return await prepareCall(this.#dependencies, call, leg)
    } catch (error) {
      // Whoever has a link is told nothing about how the house is set up.
      this.#dependencies.logError('prepare a call', error)
      const retry = !(error instanceof AppError) || error.code === 'unavailable'
      const message = `The call cannot begin right now. ${retry ? 'Try again in a moment.' : 'Tell whoever gave you the link.'}`
      return { ok: false, code: 'unavailable', message, retry }
    }
  }

  #addCall({ call_id: callId }: StoredCall, active: ActiveCall): void {
    const { leases, background } = this.#dependencies
    this.#active.set(callId, active)
    active.start()
    background.run('call', async () => {
      const outcome = await active.ended
      this.#active.delete(callId)
      await Promise.all([leases.release(callId), active.close()])
      await this.#endWriter.write(callId, outcome)
    })
  }

  /** A call that stands in its row and that nobody speaks in must not stay there. */
  #endUnstarted({ call_id: callId }: StoredCall, { classifier }: Preparation, error: unknown): CallRefusal {
    const { background, clock, leases, logError } = this.#dependencies
    logError('begin a call', error)
    classifier.close()
    this.#active.delete(callId)
    const endedAtMs = clock.now()
    background.run('call', async () => {
      await leases.release(callId)
      await this.#endWriter.write(callId, { reason: 'error_unknown', endedAtMs, state: null })
    })
    return { ok: false, code: 'call_ended', message: 'The call could not begin.', retry: false }
  }

  /** The slot lapsed because this node could not renew it: the call goes on unless others took it for lost. */
  #reacquireSlot(callId: string): void {
    const { background, leases, isOurs, clock, logError } = this.#dependencies
    const active = this.#active.get(callId)
    if (active === undefined) return
    background.run('take a slot back', async () => {
      // The database that was away may be away once more: until it answers nobody else decides about the call either.
      while (this.#active.get(callId) === active) {
        try {
          if (await isOurs(callId)) await leases.take(active.workspaceId, callId)
          else active.endLost()
          return
        } catch (error) {
          logError('take a slot back', error)
        }
        await new Promise<void>((resolve) => clock.after(REACQUIRE_INTERVAL_MS, resolve))
      }
    })
  }
}
