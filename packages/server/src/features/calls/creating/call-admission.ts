import { type Actor, hasWorkspaceLevel } from '../../../kernel/access/actor.ts'
import type { AccessWatch } from '../../../kernel/access/actor-context.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { isLive } from '../../../tables/call-tables.ts'
import type { StoredCall } from '../call-responses.ts'
import { findCall } from '../call-store.ts'
import type {
  AdmittedCaller,
  AdmittedListener,
  CallerAdmission,
  CallRejection,
  ListenerAdmission,
} from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'
import { buildReleaseStatement, claimToken } from '../states/state-store.ts'
import { type CallTokens, hashToken } from './call-tokens.ts'

const REJECTION_MESSAGES: Readonly<Record<CallRejection['code'], string>> = {
  token_invalid: 'This link does not belong to a call.',
  token_used: 'This link was already used. Ask for a new one.',
  token_expired: 'This link has expired. Ask for a new one.',
  token_revoked: 'You no longer have access to this call.',
  call_ended: 'This call has ended.',
  concurrency_limit_reached: 'All lines are busy. Try again in a moment.',
  held_elsewhere: 'This call is held by another server. Try again.',
  unavailable: 'The call cannot start right now. Try again in a moment.',
}
const RETRYABLE_CODES: ReadonlySet<CallRejection['code']> = new Set([
  'concurrency_limit_reached',
  'held_elsewhere',
  'unavailable',
])

export function createRejection(code: CallRejection['code']): CallRejection {
  return { ok: false, code, message: REJECTION_MESSAGES[code], retry: RETRYABLE_CODES.has(code) }
}

/** Runs the operation. Logs unexpected errors and returns a rejection instead. */
export async function rejectOnError<Result>(
  operation: () => Promise<Result | CallRejection>,
  logError: (error: unknown) => void,
): Promise<Result | CallRejection> {
  try {
    return await operation()
  } catch (error) {
    logError(error)
    return createRejection('unavailable')
  }
}

interface CallerAdmissionDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'queryBuilder' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly loadTokens: () => Promise<CallTokens>
  readonly callEnder: Pick<CallEnder, 'end'>
  readonly logError: (name: string, error: unknown) => void
}

/**
 * Creates the admission for callers of web calls. A token is consumed before the call starts and restored if the call does not
 * start.
 */
export function createCallerAdmission(dependencies: CallerAdmissionDependencies): CallerAdmission {
  const { database, clock, nodes, loadTokens, callEnder, logError } = dependencies
  const { nodeId } = nodes

  async function findWaitingCall(
    accessToken: string,
  ): Promise<{ readonly ok: true; readonly call: StoredCall } | CallRejection> {
    const token = (await loadTokens()).verify('join', accessToken)
    const call = token === null ? null : await findCall(database.read, token.callId)
    if (call === null || call.token_hash !== hashToken(accessToken)) return createRejection('token_invalid')
    if (call.disconnection_reason === 'registered_call_timeout') return createRejection('token_expired')
    if (!isLive(call)) return createRejection('call_ended')
    if (call.status !== 'registered' || call.token_used_at !== null) return createRejection('token_used')
    if (call.expires_at !== null && call.expires_at > clock.now()) return { ok: true, call }
    await callEnder.end(call, { reason: 'registered_call_timeout', endedAtMs: call.expires_at ?? clock.now() })
    return createRejection('token_expired')
  }

  async function release(callId: string): Promise<void> {
    await database
      .batch([buildReleaseStatement(database, callId, nodeId)])
      .catch((error: unknown) => logError('restore a token', error))
  }

  async function admit(accessToken: string): Promise<AdmittedCaller | CallRejection> {
    const result = await findWaitingCall(accessToken)
    if (!result.ok) return result
    const { call_id: callId } = result.call
    const claim = { callId, tokenHash: hashToken(accessToken), nodeId, now: clock.now() }
    const isClaimed = await database.transaction((transaction) => claimToken(transaction, claim), {
      isolation: 'read-committed',
    })
    return isClaimed ? { ok: true, callId, release: () => release(callId) } : createRejection('token_used')
  }

  return {
    admit: (accessToken) =>
      rejectOnError(
        () => admit(accessToken),
        (error) => logError('admit a caller', error),
      ),
  }
}

interface ListenerAdmissionDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly loadTokens: () => Promise<CallTokens>
  readonly accessWatch: AccessWatch
  readonly logError: (name: string, error: unknown) => void
}

export function createListenerAdmission(dependencies: ListenerAdmissionDependencies): ListenerAdmission {
  const { database, clock, nodes, loadTokens, accessWatch, logError } = dependencies

  async function admit(accessToken: string): Promise<AdmittedListener | CallRejection> {
    const token = (await loadTokens()).verify('listen', accessToken)
    const call = token === null ? null : await findCall(database.read, token.callId)
    if (token === null || token.credentialId === null || call === null) return createRejection('token_invalid')
    if (token.expiresAtMs <= clock.now()) return createRejection('token_expired')
    const { credentialId } = token
    const isAllowed = (actor: Actor): boolean => hasWorkspaceLevel(actor, 'calls', call.workspace_id)
    const actor = await accessWatch.readActor(credentialId)
    if (actor === null || !isAllowed(actor)) return createRejection('token_revoked')
    if (call.status !== 'ongoing') return createRejection('call_ended')
    if (call.node_id !== nodes.nodeId) return createRejection('held_elsewhere')
    return {
      ok: true,
      callId: call.call_id,
      watch: (onLost) =>
        accessWatch.watch({ credentialId, isAllowed, onLost: () => onLost(createRejection('token_revoked')) }),
    }
  }

  return {
    admit: (accessToken) =>
      rejectOnError(
        () => admit(accessToken),
        (error) => logError('admit a listener', error),
      ),
  }
}
