import type { Call } from '@parley/contract/call'
import type { CreateWebCallBody } from '@parley/contract/web-call'
import type { Clock, MakeId } from '@parley/engine/ports'
import { type Actor, checkReach } from '../../../kernel/actor.ts'
import { checkModels, type UsableModels } from '../../../kernel/check-models.ts'
import type { Database } from '../../../kernel/database.ts'
import { AppError, invalidField, notFound } from '../../../kernel/errors.ts'
import type { LeaseReservations } from '../../../kernel/leases.ts'
import type { AgentPin, AgentUse } from '../../../kernel/pinned-agent.ts'
import { toCall } from '../call-answers.ts'
import type { CallEvents } from '../call-events.ts'
import type { CallEntrances } from './call-entrances.ts'
import { type CallTokens, hashToken } from './call-tokens.ts'
import { findAgent, insertCall, newWebCall } from './creating-store.ts'

/** So long a caller may take to come. */
const JOIN_MS = 600_000
/** So long a slot is kept for the caller. */
const SLOT_MS = 60_000
/** A slot that is free again shows soon. */
const RETRY_MS = 5_000

export interface WebCallDependencies {
  readonly database: Pick<Database, 'read' | 'transaction'>
  /** The same time on all nodes. */
  readonly clock: Pick<Clock, 'now'>
  readonly makeId: MakeId
  readonly agents: Pick<AgentUse, 'pin' | 'load'>
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly reservations: Pick<LeaseReservations, 'reserve'>
  readonly tokens: () => Promise<CallTokens>
  readonly entrances: CallEntrances
  readonly events: Pick<CallEvents, 'begin'>
  /** A caller is about to come: what takes a while when it is first used can be loaded meanwhile. Returns at once. */
  readonly warmUp: () => void
}

export interface WebCallService {
  /** Makes a call that waits for its caller. Throws `concurrency_limit_reached` where the workspace has no slot left. */
  create(actor: Actor, body: CreateWebCallBody): Promise<Call>
}

export function createWebCallService(dependencies: WebCallDependencies): WebCallService {
  const { database, clock, makeId, agents, models, reservations, tokens, entrances, events, warmUp } = dependencies

  async function findWorkspace(actor: Actor, { agentId, workspaceId }: CreateWebCallBody): Promise<number> {
    if (workspaceId !== undefined && !actor.workspaces.has(workspaceId)) {
      throw new AppError('workspace_forbidden', `This token does not reach workspace ${workspaceId}.`)
    }
    const found = await findAgent(database.read, agentId)
    const { workspace_id, kind } = checkReach(actor, 'calls', { what: 'agent', id: agentId, row: found })
    if (workspaceId !== undefined && workspaceId !== workspace_id) throw notFound('agent', agentId)
    if (kind !== 'agent') throw invalidField('agentId', 'is a chat agent, which has no voice')
    return workspace_id
  }

  async function pinAgent(workspaceId: number, body: CreateWebCallBody, now: number) {
    const request = { workspaceId, agentId: body.agentId, version: body.agentVersion ?? ('active' as const), now }
    const pin = await database.transaction((transaction) => agents.pin(transaction, request))
    const [agent, usable] = await Promise.all([agents.load({ ...pin, workspaceId }), models.forWorkspace(workspaceId)])
    checkModels(agent, usable)
    return { pin, agent }
  }

  /** One commit, so that a call has its slot from its beginning. */
  async function store(row: ReturnType<typeof newWebCall>, pin: AgentPin): Promise<void> {
    const { workspace_id: workspaceId, call_id: leaseId, created_at: now } = row
    await database.transaction(
      async (transaction) => {
        const isReserved = await reservations.reserve(transaction, { workspaceId, leaseId, durationMs: SLOT_MS })
        if (!isReserved) {
          const message = 'As many calls are live or about to begin as the workspace may hold at once. Try again later.'
          throw new AppError('concurrency_limit_reached', message, { retryAfterMs: RETRY_MS })
        }
        // Once more: the agent may have been deleted since.
        await agents.pin(transaction, { workspaceId, agentId: pin.agentId, version: pin.agentVersion, now })
        await insertCall(transaction, row)
      },
      { isolation: 'read-committed' },
    )
  }

  return {
    async create(actor, body) {
      const workspaceId = await findWorkspace(actor, body)
      const now = clock.now()
      const { pin, agent } = await pinAgent(workspaceId, body, now)
      const callId = makeId('call')
      const expiresAtMs = now + JOIN_MS
      const token = (await tokens()).sign('join', { callId, expiresAtMs, credentialId: null })
      const { storage } = events.begin(agent.afterwards, body.optOutSensitiveDataStorage)
      const facts = { callId, workspaceId, now, expiresAtMs, tokenHash: hashToken(token), storage }
      const row = newWebCall(facts, pin, body)
      await store(row, pin)
      warmUp()
      return toCall({ ...row, hidden: 0 }, await entrances.forActor(actor))
    },
  }
}
