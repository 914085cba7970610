import type { AccessWatch } from '../../../kernel/access/access-watch.ts'
import { type Actor, hasWorkspaceLevel } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Nodes } from '../../../kernel/work/nodes.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { refuse, refuseOnFailure } from '../call-refusals.ts'
import { findCall } from '../call-store.ts'
import type { CallTokens } from '../creating/call-tokens.ts'
import type { AdmittedListener, CallRefusal, ListenerAdmission } from '../live-calls.ts'

export interface ListenerAdmissionDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: Omit<SharedClock, 'after'>
  readonly nodes: Pick<Nodes, 'nodeId'>
  readonly tokens: () => Promise<CallTokens>
  readonly accessWatch: AccessWatch
  readonly logError: (name: string, error: unknown) => void
}

export function createListenerAdmission(dependencies: ListenerAdmissionDependencies): ListenerAdmission {
  const { database, clock, nodes, tokens, accessWatch, logError } = dependencies

  async function admit(accessToken: string): Promise<AdmittedListener | CallRefusal> {
    const token = (await tokens()).read('listen', accessToken)
    const call = token === null ? null : await findCall(database.read, token.callId)
    if (token === null || token.credentialId === null || call === null) return refuse('token_invalid')
    if (token.expiresAtMs <= clock.now()) return refuse('token_expired')
    const { credentialId } = token
    const isAllowed = (actor: Actor): boolean => hasWorkspaceLevel(actor, 'calls', call.workspace_id)
    const actor = await accessWatch.actorOf(credentialId)
    if (actor === null || !isAllowed(actor)) return refuse('token_revoked')
    if (call.status !== 'ongoing') return refuse('call_ended')
    if (call.node_id !== nodes.nodeId) return refuse('held_elsewhere')
    return {
      ok: true,
      callId: call.call_id,
      watch: (onLost) => accessWatch.watch({ credentialId, isAllowed, onLost: () => onLost(refuse('token_revoked')) }),
    }
  }

  return {
    admit: (accessToken) =>
      refuseOnFailure(
        () => admit(accessToken),
        (error) => logError('let a listener in', error),
      ),
  }
}
