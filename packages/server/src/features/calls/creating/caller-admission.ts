import type { Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { isLive } from '../../../tables/call-tables.ts'
import { refuse, refuseOnFailure } from '../call-refusals.ts'
import type { StoredCall } from '../call-responses.ts'
import { findCall } from '../call-store.ts'
import type { AdmittedCaller, CallerAdmission, CallRefusal } from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'
import { claimToken, returnCall } from '../states/state-store.ts'
import { type CallTokens, hashToken } from './call-tokens.ts'

export interface CallerAdmissionDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly tokens: () => Promise<CallTokens>
  readonly callEnder: Pick<CallEnder, 'end'>
  readonly logError: (name: string, error: unknown) => void
}

/** Lets the callers of web calls in: a token is used up in front of the start, and given back where the call does not start. */
export function createCallerAdmission(dependencies: CallerAdmissionDependencies): CallerAdmission {
  const { database, clock, nodes, tokens, callEnder, logError } = dependencies
  const { nodeId } = nodes

  async function find(accessToken: string): Promise<{ readonly ok: true; readonly call: StoredCall } | CallRefusal> {
    const token = (await tokens()).read('join', accessToken)
    const call = token === null ? null : await findCall(database.read, token.callId)
    if (call === null || call.token_hash !== hashToken(accessToken)) return refuse('token_invalid')
    if (call.disconnection_reason === 'registered_call_timeout') return refuse('token_expired')
    if (!isLive(call)) return refuse('call_ended')
    if (call.status !== 'registered' || call.token_used_at !== null) return refuse('token_used')
    if (call.expires_at !== null && call.expires_at > clock.now()) return { ok: true, call }
    await callEnder.end(call, { reason: 'registered_call_timeout', endedAtMs: call.expires_at ?? clock.now() })
    return refuse('token_expired')
  }

  async function release(callId: string): Promise<void> {
    await database
      .batch([returnCall(database, callId, nodeId)])
      .catch((error: unknown) => logError('give a token back', error))
  }

  async function admit(accessToken: string): Promise<AdmittedCaller | CallRefusal> {
    const found = await find(accessToken)
    if (!found.ok) return found
    const { call_id: callId } = found.call
    const claim = { callId, tokenHash: hashToken(accessToken), nodeId, now: clock.now() }
    const isClaimed = await database.transaction((transaction) => claimToken(transaction, claim), {
      isolation: 'read-committed',
    })
    return isClaimed ? { ok: true, callId, release: () => release(callId) } : refuse('token_used')
  }

  return {
    admit: (accessToken) =>
      refuseOnFailure(
        () => admit(accessToken),
        (error) => logError('let a caller in', error),
      ),
  }
}
