import type { Call } from '@parley/contract/call'
import type { ControlCallBody, UpdateCallBody } from '@parley/contract/call-control'
import type { JsonValue } from '@parley/engine/ports'
import type { Actor } from '../../../kernel/access/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import type { CallEvents } from '../call-events.ts'
import { type StoredCall, toCall } from '../call-responses.ts'
import { checkCall, findCall } from '../call-store.ts'
import type { CallJoinLinks, CallTokens } from '../creating/call-tokens.ts'
import type { CallCommand, LiveCallControl } from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'

/** How long a listen token can be used. */
const LISTEN_TOKEN_TTL_MS = 600_000
const MAX_ATTEMPTS = 5

interface ControlServiceDependencies {
  readonly database: Pick<Database, 'read' | 'queryBuilder' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly events: Pick<CallEvents, 'tightenStorage'>
  readonly joinLinks: CallJoinLinks
  readonly callEnder: Pick<CallEnder, 'end'>
  readonly control: LiveCallControl
  readonly loadTokens: () => Promise<CallTokens>
}

/** Call operations for API clients. Each method returns the updated call. */
export interface ControlService {
  update(actor: Actor, callId: string, changes: UpdateCallBody): Promise<Call>
  end(actor: Actor, callId: string): Promise<Call>
  /** Sends commands to a live call. Throws `call_not_live` if the call is not ongoing. */
  control(actor: Actor, callId: string, body: ControlCallBody): Promise<Call>
  /** Returns a listen token. Revoking the actor's credential revokes the token. Throws `call_not_live`. */
  listen(actor: Actor, callId: string): Promise<{ readonly accessToken: string; readonly expiresAt: string }>
}

export function createControlService(dependencies: ControlServiceDependencies): ControlService {
  const { database, clock, joinLinks, callEnder, loadTokens } = dependencies
  const { read } = database

  const requireCall = async (actor: Actor, callId: string): Promise<StoredCall> =>
    checkCall(actor, 'calls', callId, await findCall(read, callId))

  const readCall = async (actor: Actor, callId: string): Promise<Call> =>
    toCall(await requireCall(actor, callId), await joinLinks.createActorLinks(actor))

  const { trySendCommand, applyChanges } = createCallChanges(dependencies)

  return {
    async update(actor, callId, changes) {
      await applyChanges(actor, callId, () => changes)
      return await readCall(actor, callId)
    },

    async end(actor, callId) {
      let call = await requireCall(actor, callId)
      // The caller may join or leave at the same time.
      for (let attempts = 0; call.status === 'registered' && attempts < MAX_ATTEMPTS; attempts += 1) {
        await callEnder.end(call, { reason: 'manual_stopped' })
        call = await requireCall(actor, callId)
      }
      if (call.status === 'ongoing') await trySendCommand(callId, { type: 'end' })
      return await readCall(actor, callId)
    },

    async control(actor, callId, { say, inject, variables }) {
      const { status } = await requireCall(actor, callId)
      if (status !== 'ongoing') throw createCallNotLiveError(status)
      if (variables !== undefined) {
        await applyChanges(actor, callId, ({ override_variables: storedVariables }) => ({
          overrideDynamicVariables: { ...(JSON.parse(storedVariables) as Record<string, string | null>), ...variables },
        }))
      }
      if (inject !== undefined && !(await trySendCommand(callId, { type: 'inject', ...inject })))
        throw createCallNotLiveError('ended')
      if (say !== undefined && !(await trySendCommand(callId, { type: 'say', ...say })))
        throw createCallNotLiveError('ended')
      return await readCall(actor, callId)
    },

    async listen(actor, callId) {
      const { status } = await requireCall(actor, callId)
      if (status !== 'ongoing') throw createCallNotLiveError(status)
      const expiresAtMs = clock.now() + LISTEN_TOKEN_TTL_MS
      const { credentialId } = actor
      const accessToken = (await loadTokens()).sign('listen', { callId, expiresAtMs, credentialId })
      return { accessToken, expiresAt: new Date(expiresAtMs).toISOString() }
    },
  }
}

interface CallChanges {
  trySendCommand(callId: string, command: CallCommand): Promise<boolean>
  applyChanges(actor: Actor, callId: string, getChanges: (call: StoredCall) => UpdateCallBody): Promise<void>
}

function createCallChanges({ database, clock, events, control }: ControlServiceDependencies): CallChanges {
  /** Sends a command to a live call. Returns false if the call has ended. */
  async function trySendCommand(callId: string, command: CallCommand): Promise<boolean> {
    try {
      await control.sendCommand(callId, command)
      return true
    } catch (error) {
      const call = await findCall(database.read, callId)
      if (call?.status === 'ongoing') throw error
      return false
    }
  }

  /** Stores the changes that `getChanges` derives from the current row. Sends them to the call if it is live. */
  async function applyChanges(
    actor: Actor,
    callId: string,
    getChanges: (call: StoredCall) => UpdateCallBody,
  ): Promise<void> {
    const { status, changes } = await database.transaction(async (transaction) => {
      const call = checkCall(actor, 'calls', callId, await findCall(transaction, callId))
      const changes = getChanges(call)
      const { data_storage_setting: setting } = changes
      const policyStatements = setting === undefined ? [] : events.tightenStorage(call, setting)
      const update = buildCallUpdate(database, callId, { ...toChangedColumns(changes), updated_at: clock.now() })
      for (const { query } of [update, ...policyStatements]) await transaction.executeQuery(query)
      return { status: call.status, changes }
    })
    const { metadata, overrideDynamicVariables: overrideVariables } = changes
    const liveChanges = {
      ...(metadata !== undefined && { metadata: metadata as Record<string, JsonValue> }),
      ...(overrideVariables !== undefined && { overrideVariables }),
    }
    if (status === 'ongoing' && Object.keys(liveChanges).length > 0)
      await trySendCommand(callId, { type: 'changed', ...liveChanges })
  }

  return { trySendCommand, applyChanges }
}

function createCallNotLiveError(status: string): AppError {
  const message = status === 'registered' ? 'Nobody has joined the call yet.' : 'The call has ended.'
  return new AppError('call_not_live', message)
}

function toChangedColumns({ metadata, customAttributes, overrideDynamicVariables }: UpdateCallBody): ChangedColumns {
  return {
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    ...(customAttributes !== undefined && { custom_attributes: JSON.stringify(customAttributes) }),
    ...(overrideDynamicVariables !== undefined && { override_variables: JSON.stringify(overrideDynamicVariables) }),
  }
}

/** Call columns that API clients can change at any time. */
type ChangedColumns = Partial<Pick<CallRow, 'metadata' | 'custom_attributes' | 'override_variables'>>

function buildCallUpdate(
  { queryBuilder }: Pick<Database, 'queryBuilder'>,
  callId: string,
  columns: ChangedColumns & Pick<CallRow, 'updated_at'>,
): BatchStatement {
  return { query: queryBuilder.updateTable('calls').set(columns).where('call_id', '=', callId).compile() }
}
