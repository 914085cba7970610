import type { Clock } from '@parley/engine/ports'
import type { AccessWatch } from '../../../kernel/access-watch.ts'
import { type Actor, mayInWorkspace } from '../../../kernel/actor.ts'
import { BatchConflictError, type Database } from '../../../kernel/database.ts'
import type { Leases } from '../../../kernel/leases.ts'
import type { JoinRefusal } from '../../../kernel/live-calls.ts'
import type { Nodes } from '../../../kernel/nodes.ts'
import { isLiving } from '../../../kernel/tables/call-tables.ts'
import type { StoredCall } from '../call-answers.ts'
import type { CallEvents } from '../call-events.ts'
import { findCall } from '../call-store.ts'
import { type CallTokens, hashToken } from '../creating/call-tokens.ts'
import type { CallEnder } from './call-ender.ts'
import { beginCall, claimToken, returnToken } from './state-store.ts'

/** A call that its token opens. */
export interface OpenedCall {
  readonly ok: true
  readonly call: StoredCall
}

/** A call that may be listened to. */
export interface HeardCall {
  readonly ok: true
  readonly callId: string
  /** Calls `onLost` once when the listener's credential loses access to the call; the returned function ends that. */
  watch(onLost: (refusal: JoinRefusal) => void): () => void
}

/** Lets callers in. Nothing rejects: what goes wrong is a refusal. */
export interface CallJoining {
  /** Whether the token joins a call now. Nothing is taken yet, so that an agent can be loaded in between. */
  look(accessToken: string): Promise<OpenedCall | JoinRefusal>
  /**
   * Uses the token up, takes the slot over and begins the call: this node holds it from now on. The answer is the row as it is
   * then. Of several who join with one token one succeeds.
   */
  join(accessToken: string): Promise<OpenedCall | JoinRefusal>
  /** The call that the token lets its bearer hear, on this node, as long as the credential behind it may. */
  lookToListen(accessToken: string): Promise<HeardCall | JoinRefusal>
}

export interface CallJoiningDependencies {
  readonly database: Pick<Database, 'read' | 'batch' | 'compile' | 'transaction'>
  /** The same time on all nodes. */
  readonly clock: Pick<Clock, 'now'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly leases: Pick<Leases, 'take' | 'release'>
  readonly tokens: () => Promise<CallTokens>
  readonly accessWatch: AccessWatch
  readonly events: Pick<CallEvents, 'started'>
  readonly ender: Pick<CallEnder, 'end'>
  readonly logError: (name: string, error: unknown) => void
}

export function createCallJoining(dependencies: CallJoiningDependencies): CallJoining {
  const { database, clock, nodes, leases, tokens, accessWatch, events, ender, logError } = dependencies
  const { nodeId } = nodes

  async function guard<Opened>(work: () => Promise<Opened | JoinRefusal>): Promise<Opened | JoinRefusal> {
    try {
      return await work()
    } catch (error) {
      logError('let a caller in', error)
      return refuse('unavailable')
    }
  }

  async function look(accessToken: string): Promise<OpenedCall | JoinRefusal> {
    const token = (await tokens()).read('join', accessToken)
    const call = token === null ? null : await findCall(database.read, token.callId)
    if (call === null || call.token_hash !== hashToken(accessToken)) return refuse('token_invalid')
    if (call.disconnection_reason === 'registered_call_timeout') return refuse('token_expired')
    if (!isLiving(call)) return refuse('call_ended')
    if (call.status !== 'registered' || call.token_used_at !== null) return refuse('token_used')
    if (call.expires_at !== null && call.expires_at > clock.now()) return { ok: true, call }
    await ender.end(call, { reason: 'registered_call_timeout', endedAtMs: call.expires_at ?? clock.now() })
    return refuse('token_expired')
  }

  async function begin(call: StoredCall): Promise<OpenedCall | JoinRefusal> {
    const now = clock.now()
    const told = await events.started(call)
    await database.batch([beginCall(database, { call, nodeId, now }), ...told])
    const begun = await findCall(database.read, call.call_id)
    return begun === null ? refuse('call_ended') : { ok: true, call: begun }
  }

  async function takeBack(callId: string): Promise<void> {
    await leases.release(callId)
    await database.batch([returnToken(database, callId, nodeId)])
  }

  async function join(accessToken: string): Promise<OpenedCall | JoinRefusal> {
    const found = await look(accessToken)
    if (!found.ok) return found
    const { call_id: callId, workspace_id } = found.call
    const claim = { callId, tokenHash: hashToken(accessToken), nodeId, now: clock.now() }
    const call = await database.transaction((transaction) => claimToken(transaction, claim), {
      isolation: 'read-committed',
    })
    if (call === null) return refuse('token_used')
    try {
      if (await leases.take(workspace_id, callId)) return await begin(call)
      await takeBack(callId)
      return refuse('concurrency_limit_reached')
    } catch (error) {
      await takeBack(callId).catch((later: unknown) => logError('give a token back', later))
      if (error instanceof BatchConflictError) return refuse('call_ended')
      throw error
    }
  }

  async function lookToListen(accessToken: string): Promise<HeardCall | JoinRefusal> {
    const token = (await tokens()).read('listen', accessToken)
    const call = token === null ? null : await findCall(database.read, token.callId)
    if (token === null || token.credentialId === null || call === null) return refuse('token_invalid')
    if (token.expiresAtMs <= clock.now()) return refuse('token_expired')
    const { credentialId } = token
    const isAllowed = (actor: Actor): boolean => mayInWorkspace(actor, 'calls', call.workspace_id)
    const actor = await accessWatch.actorOf(credentialId)
    if (actor === null || !isAllowed(actor)) return refuse('token_revoked')
    if (call.status !== 'ongoing') return refuse('call_ended')
    if (call.node_id !== nodeId) return refuse('held_elsewhere')
    return {
      ok: true,
      callId: call.call_id,
      watch: (onLost) => accessWatch.watch({ credentialId, isAllowed, onLost: () => onLost(refuse('token_revoked')) }),
    }
  }

  return {
    look: (accessToken) => guard(() => look(accessToken)),
    join: (accessToken) => guard(() => join(accessToken)),
    lookToListen: (accessToken) => guard(() => lookToListen(accessToken)),
  }
}

const MESSAGES: Readonly<Record<JoinRefusal['code'], string>> = {
  token_invalid: 'This link does not belong to a call.',
  token_used: 'This link was used already: it works once.',
  token_expired: 'This link has expired. Ask for a new one.',
  token_revoked: 'You no longer have access to this call.',
  call_ended: 'This call is over.',
  concurrency_limit_reached: 'All lines are busy. Try again in a moment.',
  held_elsewhere: 'This call is held by another server. Try again.',
  unavailable: 'The call cannot begin right now. Try again in a moment.',
}
const RETRIED: ReadonlySet<JoinRefusal['code']> = new Set([
  'concurrency_limit_reached',
  'held_elsewhere',
  'unavailable',
])

function refuse(code: JoinRefusal['code']): JoinRefusal {
  return { ok: false, code, message: MESSAGES[code], retry: RETRIED.has(code) }
}
