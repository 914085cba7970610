/** The order of edits across the drafts of a page, so that one undo reverts the last edit. */

export interface EditOrder<Name extends string> {
  /** The draft of each edit that can be undone, latest last. */
  readonly done: readonly Name[]
  readonly undone: readonly Name[]
  readonly last: { readonly key: string; readonly atMs: number } | null
}

/** Typing in one field without a longer pause is one step, as in a single draft. */
const STEP_PAUSE_MS = 1_000

export const NO_EDITS = { done: [], undone: [], last: null } as const

/** Records an edit to fields of a draft. */
export function recordEdit<Name extends string>(
  order: EditOrder<Name>,
  name: Name,
  { fields, atMs }: { readonly fields: readonly string[]; readonly atMs: number },
): EditOrder<Name> {
  const key = `${name} ${fields.join(' ')}`
  const goesOn = order.last !== null && order.last.key === key && atMs - order.last.atMs < STEP_PAUSE_MS
  return { done: goesOn ? order.done : [...order.done, name], undone: [], last: { key, atMs } }
}

/** Finds the draft to undo next. Drops edits to saved drafts, because they cannot be undone. */
export function planUndo<Name extends string>(
  order: EditOrder<Name>,
  canUndo: (name: Name) => boolean,
): { readonly name: Name; readonly order: EditOrder<Name> } | null {
  const at = order.done.findLastIndex(canUndo)
  const name = order.done[at]
  if (name === undefined) return null
  return { name, order: { done: order.done.slice(0, at), undone: [name, ...order.undone], last: null } }
}

/** Finds the draft to redo next. */
export function planRedo<Name extends string>(
  order: EditOrder<Name>,
  canRedo: (name: Name) => boolean,
): { readonly name: Name; readonly order: EditOrder<Name> } | null {
  const at = order.undone.findIndex(canRedo)
  const name = order.undone[at]
  if (name === undefined) return null
  return { name, order: { done: [...order.done, name], undone: order.undone.slice(at + 1), last: null } }
}
