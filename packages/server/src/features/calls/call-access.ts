import type { Right } from '@parley/contract/access'
import { type Actor, mayInWorkspace } from '../../kernel/actor.ts'
import { AppError, notFound } from '../../kernel/errors.ts'

/** The workspace follows from what is named: whoever does not reach it learns nothing, not even that this exists. */
export function checkReach<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  { what, id, row }: { readonly what: string; readonly id: string; readonly row: Row | null },
): Row {
  if (row === null || !actor.workspaces.has(row.workspace_id)) throw notFound(what, id)
  if (mayInWorkspace(actor, right, row.workspace_id)) return row
  throw new AppError('forbidden', `This needs a higher role in the workspace of the ${what}.`)
}

/** The call, for somebody who may do this to it. */
export function checkCall<Row extends { readonly workspace_id: number }>(
  actor: Actor,
  right: Right,
  callId: string,
  row: Row | null,
): Row {
  return checkReach(actor, right, { what: 'call', id: callId, row })
}
