import type { Call } from '@parley/contract/call'
import type { CreateWebCallBody } from '@parley/contract/web-call'
import type { JsonObject, MakeId } from '@parley/engine/ports'
import { type Actor, requireRowAccess } from '../../../kernel/access/actor.ts'
import { AppError, invalidField, notFound } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { toCall } from '../call-responses.ts'
import type { CallRecords } from './call-records.ts'
import { findAgent } from './call-records.ts'
import type { CallJoinLinks } from './call-tokens.ts'
import { type CallTokens, hashToken } from './call-tokens.ts'

/** How long a call waits for its caller. */
const JOIN_TIMEOUT_MS = 600_000

interface WebCallDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly makeId: MakeId
  readonly callRecords: CallRecords
  readonly loadTokens: () => Promise<CallTokens>
  readonly joinLinks: CallJoinLinks
}

export interface WebCallService {
  /** Creates a call that waits for its caller. Throws `concurrency_limit_reached` if no slot is free. */
  create(actor: Actor, body: CreateWebCallBody): Promise<Call>
}

export function createWebCallService(dependencies: WebCallDependencies): WebCallService {
  const { database, clock, makeId, callRecords, loadTokens, joinLinks } = dependencies

  async function findWorkspace(actor: Actor, { agentId, workspaceId }: CreateWebCallBody): Promise<number> {
    if (workspaceId !== undefined && !actor.workspaces.has(workspaceId)) {
      throw new AppError('workspace_forbidden', `This token does not have access to workspace ${workspaceId}.`)
    }
    const agent = await findAgent(database.read, agentId)
    const { workspace_id, kind } = requireRowAccess(actor, 'calls', { resourceName: 'agent', id: agentId, row: agent })
    if (workspaceId !== undefined && workspaceId !== workspace_id) throw notFound('agent', agentId)
    if (kind !== 'agent') throw invalidField('agentId', 'is a chat agent, which has no voice')
    return workspace_id
  }

  return {
    async create(actor, body) {
      const workspaceId = await findWorkspace(actor, body)
      const callId = makeId('call')
      const createdAtMs = clock.now()
      const expiresAtMs = createdAtMs + JOIN_TIMEOUT_MS
      const token = (await loadTokens()).sign('join', { callId, expiresAtMs, credentialId: null })
      const row = await callRecords.create({
        callId,
        workspaceId,
        agentId: body.agentId,
        agentVersion: body.agentVersion ?? 'active',
        callType: 'web_call',
        direction: null,
        fromNumber: null,
        toNumber: null,
        callSid: null,
        metadata: body.metadata as JsonObject,
        customAttributes: body.customAttributes as JsonObject,
        variables: { ...body.serviceDynamicVariables, ...body.dynamicVariables },
        optOutSensitiveDataStorage: body.optOutSensitiveDataStorage,
        createdAtMs,
        expiresAtMs,
        tokenHash: hashToken(token),
      })
      return toCall(row, await joinLinks.createActorLinks(actor))
    },
  }
}
