import type { Call } from '@parley/contract/call'
import type { ControlCallBody, UpdateCallBody } from '@parley/contract/call-control'
import type { JsonValue } from '@parley/engine/ports'
import type { Actor } from '../../../kernel/access/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { BatchStatement, Database } from '../../../kernel/storage/database.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallRow } from '../../../tables/call-tables.ts'
import { checkCall } from '../call-access.ts'
import type { CallEvents } from '../call-events.ts'
import { type StoredCall, toCall } from '../call-responses.ts'
import { findCall } from '../call-store.ts'
import type { CallJoinLinks } from '../creating/call-join-links.ts'
import type { CallTokens } from '../creating/call-tokens.ts'
import type { CallCommand, LiveCallControl } from '../live-calls.ts'
import type { CallEnder } from '../states/call-ender.ts'

/** So long listening can begin with a token. */
const LISTEN_TOKEN_MS = 600_000
const MAX_ATTEMPTS = 5

export interface ControlServiceDependencies {
  readonly database: Pick<Database, 'read' | 'compile' | 'transaction'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly events: Pick<CallEvents, 'tightenStorage'>
  readonly joinLinks: CallJoinLinks
  readonly callEnder: Pick<CallEnder, 'end'>
  readonly control: LiveCallControl
  readonly tokens: () => Promise<CallTokens>
}

/** What callers of the API do to calls. Each answers the call as it is then. */
export interface ControlService {
  update(actor: Actor, callId: string, changes: UpdateCallBody): Promise<Call>
  end(actor: Actor, callId: string): Promise<Call>
  /** Throws `call_not_live` unless somebody speaks with the agent right now. */
  control(actor: Actor, callId: string, body: ControlCallBody): Promise<Call>
  /** A token to hear the call with while the caller's credential lasts. Throws `call_not_live`. */
  listen(actor: Actor, callId: string): Promise<{ readonly accessToken: string; readonly expiresAt: string }>
}

export function createControlService(dependencies: ControlServiceDependencies): ControlService {
  const { database, clock, joinLinks, callEnder, tokens } = dependencies
  const { read } = database

  const find = async (actor: Actor, callId: string): Promise<StoredCall> =>
    checkCall(actor, 'calls', callId, await findCall(read, callId))

  const answer = async (actor: Actor, callId: string): Promise<Call> =>
    toCall(await find(actor, callId), await joinLinks.forActor(actor))

  const { notify, change } = createCallChanges(dependencies)

  return {
    async update(actor, callId, changes) {
      await change(actor, callId, () => changes)
      return await answer(actor, callId)
    },

    async end(actor, callId) {
      let call = await find(actor, callId)
      // Its caller may be let in, or go, in the same moment.
      for (let attempts = 0; call.status === 'registered' && attempts < MAX_ATTEMPTS; attempts += 1) {
        await callEnder.end(call, { reason: 'manual_stopped' })
        call = await find(actor, callId)
      }
      if (call.status === 'ongoing') await notify(callId, { type: 'end' })
      return await answer(actor, callId)
    },

    async control(actor, callId, { say, inject, variables }) {
      const { status } = await find(actor, callId)
      if (status !== 'ongoing') throw callNotLive(status)
      if (variables !== undefined) {
        await change(actor, callId, ({ override_variables: before }) => ({
          overrideDynamicVariables: { ...(JSON.parse(before) as Record<string, string | null>), ...variables },
        }))
      }
      if (inject !== undefined && !(await notify(callId, { type: 'inject', ...inject }))) throw callNotLive('over')
      if (say !== undefined && !(await notify(callId, { type: 'say', ...say }))) throw callNotLive('over')
      return await answer(actor, callId)
    },

    async listen(actor, callId) {
      const { status } = await find(actor, callId)
      if (status !== 'ongoing') throw callNotLive(status)
      const expiresAtMs = clock.now() + LISTEN_TOKEN_MS
      const { credentialId } = actor
      const accessToken = (await tokens()).sign('listen', { callId, expiresAtMs, credentialId })
      return { accessToken, expiresAt: new Date(expiresAtMs).toISOString() }
    },
  }
}

interface CallChanges {
  notify(callId: string, command: CallCommand): Promise<boolean>
  change(actor: Actor, callId: string, decide: (call: StoredCall) => UpdateCallBody): Promise<void>
}

function createCallChanges({ database, clock, events, control }: ControlServiceDependencies): CallChanges {
  /** False when the call is not live any more; it may end while it is looked for. */
  async function notify(callId: string, command: CallCommand): Promise<boolean> {
    try {
      await control.command(callId, command)
      return true
    } catch (error) {
      const call = await findCall(database.read, callId)
      if (call?.status === 'ongoing') throw error
      return false
    }
  }

  /** Decided on the row that is written to; a call that is live by then is notified of what was changed. */
  async function change(actor: Actor, callId: string, decide: (call: StoredCall) => UpdateCallBody): Promise<void> {
    const { status, changes } = await database.transaction(async (transaction) => {
      const call = checkCall(actor, 'calls', callId, await findCall(transaction, callId))
      const changes = decide(call)
      const { data_storage_setting: setting } = changes
      const tightenedPolicy = setting === undefined ? [] : events.tightenStorage(call, setting)
      const changed = changeCall(database, callId, { ...columnsOf(changes), updated_at: clock.now() })
      for (const { query } of [changed, ...tightenedPolicy]) await transaction.executeQuery(query)
      return { status: call.status, changes }
    })
    const { metadata, overrideDynamicVariables: overrideVariables } = changes
    const liveChanges = {
      ...(metadata !== undefined && { metadata: metadata as Record<string, JsonValue> }),
      ...(overrideVariables !== undefined && { overrideVariables }),
    }
    if (status === 'ongoing' && Object.keys(liveChanges).length > 0)
      await notify(callId, { type: 'changed', ...liveChanges })
  }

  return { notify, change }
}

function callNotLive(status: string): AppError {
  const message = status === 'registered' ? 'Nobody has joined the call yet.' : 'The call is over.'
  return new AppError('call_not_live', message)
}

function columnsOf({ metadata, customAttributes, overrideDynamicVariables }: UpdateCallBody): ChangedColumns {
  return {
    ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    ...(customAttributes !== undefined && { custom_attributes: JSON.stringify(customAttributes) }),
    ...(overrideDynamicVariables !== undefined && { override_variables: JSON.stringify(overrideDynamicVariables) }),
  }
}

/** What can be changed of a call at any time. */
type ChangedColumns = Partial<Pick<CallRow, 'metadata' | 'custom_attributes' | 'override_variables'>>

function changeCall(
  { compile }: Pick<Database, 'compile'>,
  callId: string,
  columns: ChangedColumns & Pick<CallRow, 'updated_at'>,
): BatchStatement {
  return { query: compile.updateTable('calls').set(columns).where('call_id', '=', callId).compile() }
}
