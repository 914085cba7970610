/** The order of edits across the drafts of a page, so that one undo reverts the last edit. */

export interface EditOrder<Name extends string> {
  /** Draft names of the edits that can be undone, latest last. */
  readonly done: readonly Name[]
  readonly undone: readonly Name[]
  readonly last: { readonly key: string; readonly atMs: number } | null
}

/** A longer pause starts a new undo step, as in a single draft. */
const STEP_PAUSE_MS = 1_000

export const NO_EDITS = { done: [], undone: [], last: null } as const

/** Records an edit to fields of a draft. */
export function recordEdit<Name extends string>(
  order: EditOrder<Name>,
  name: Name,
  { fields, atMs }: { readonly fields: readonly string[]; readonly atMs: number },
): EditOrder<Name> {
  const key = `${name} ${fields.join(' ')}`
  const continuesLastEdit = order.last !== null && order.last.key === key && atMs - order.last.atMs < STEP_PAUSE_MS
  return { done: continuesLastEdit ? order.done : [...order.done, name], undone: [], last: { key, atMs } }
}

/** Finds the draft to undo next. Drops edits to saved drafts, because they cannot be undone. */
export function planUndo<Name extends string>(
  order: EditOrder<Name>,
  canUndo: (name: Name) => boolean,
): { readonly name: Name; readonly order: EditOrder<Name> } | null {
  const index = order.done.findLastIndex(canUndo)
  const name = order.done[index]
  if (name === undefined) return null
  return { name, order: { done: order.done.slice(0, index), undone: [name, ...order.undone], last: null } }
}

/** Finds the draft to redo next. */
export function planRedo<Name extends string>(
  order: EditOrder<Name>,
  canRedo: (name: Name) => boolean,
): { readonly name: Name; readonly order: EditOrder<Name> } | null {
  const index = order.undone.findIndex(canRedo)
  const name = order.undone[index]
  if (name === undefined) return null
  return { name, order: { done: [...order.done, name], undone: order.undone.slice(index + 1), last: null } }
}
