import { AppError } from '../../../kernel/errors.ts'
import type { Leases } from '../../../kernel/work/nodes.ts'
import type { StoredCall } from '../call-answers.ts'
import type { CallCommand, CallRefusal, CallStart, HeldCalls, LiveCallHost, StartedCall } from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'
import type { CallStarter } from '../states/call-starter.ts'
import { createEndWriter, type EndWriter } from './end-writer.ts'
import { type HeldCall, type HeldCallDependencies, openHeldCall } from './held-call.ts'
import { type Preparation, type PreparationDependencies, prepareCall } from './prepare-call.ts'

export interface LiveCallsDependencies extends PreparationDependencies, HeldCallDependencies {
  readonly leases: Pick<Leases, 'take' | 'release' | 'onLost'>
  readonly starter: CallStarter
  readonly ender: Pick<CallEnder, 'endById'>
  /** Whether the call is this node's as far as its row says. */
  readonly isOurs: (callId: string) => Promise<boolean>
}

/** The calls of this node. */
export interface LiveCalls extends LiveCallHost, HeldCalls {
  /** Ends of calls that could not be written down yet are tried once more, and then left to whoever finds the calls lost. */
  giveUp(): void
}

/** Between two tries to take a slot back. */
const TAKE_BACK_EVERY_MS = 1_000

export function createLiveCalls(dependencies: LiveCallsDependencies): LiveCalls {
  return new CallHost(dependencies)
}

class CallHost implements LiveCalls {
  readonly #dependencies: LiveCallsDependencies
  readonly #held = new Map<string, HeldCall>()
  readonly #ends: EndWriter

  constructor(dependencies: LiveCallsDependencies) {
    this.#dependencies = dependencies
    this.#ends = createEndWriter(dependencies)
    dependencies.leases.onLost((callId) => this.#takeBack(callId))
  }

  get activeCount(): number {
    return this.#held.size
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
      this.#hold(call, openHeldCall(this.#dependencies, call, { ...start, preparation }))
    } catch (error) {
      return this.#abandon(call, preparation, error)
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
    const held = this.#held.get(callId)
    held?.command(command)
    return held !== undefined
  }

  endAll(): void {
    for (const held of this.#held.values()) held.endLost()
  }

  giveUp(): void {
    this.#ends.giveUp()
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

  #hold({ call_id: callId }: StoredCall, held: HeldCall): void {
    const { leases, background } = this.#dependencies
    this.#held.set(callId, held)
    held.start()
    background.run('call', async () => {
      const outcome = await held.ended
      this.#held.delete(callId)
      await Promise.all([leases.release(callId), held.close()])
      await this.#ends.write(callId, outcome)
    })
  }

  /** A call that stands in its row and that nobody speaks in must not stay there. */
  #abandon({ call_id: callId }: StoredCall, { classifier }: Preparation, error: unknown): CallRefusal {
    const { background, clock, leases, logError } = this.#dependencies
    logError('begin a call', error)
    classifier.close()
    this.#held.delete(callId)
    const endedAtMs = clock.now()
    background.run('call', async () => {
      await leases.release(callId)
      await this.#ends.write(callId, { reason: 'error_unknown', endedAtMs, state: null })
    })
    return { ok: false, code: 'call_ended', message: 'The call could not begin.', retry: false }
  }

  /** The slot lapsed because this node could not renew it: the call goes on unless others took it for lost. */
  #takeBack(callId: string): void {
    const { background, leases, isOurs, clock, logError } = this.#dependencies
    const held = this.#held.get(callId)
    if (held === undefined) return
    background.run('take a slot back', async () => {
      // The database that was away may be away once more: until it answers nobody else decides about the call either.
      while (this.#held.get(callId) === held) {
        try {
          if (await isOurs(callId)) await leases.take(held.workspaceId, callId)
          else held.endLost()
          return
        } catch (error) {
          logError('take a slot back', error)
        }
        await new Promise<void>((resolve) => clock.after(TAKE_BACK_EVERY_MS, resolve))
      }
    })
  }
}
