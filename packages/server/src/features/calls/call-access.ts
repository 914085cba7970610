import type { Right } from '@parley/contract/access'
import { type Actor, checkReach } from '../../kernel/access/actor.ts'

/** The call, for somebody who may do this to it. */
export function checkCall<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  callId: string,
  row: Row | null,
): Row {
  return checkReach(actor, right, { what: 'call', id: callId, row })
}
