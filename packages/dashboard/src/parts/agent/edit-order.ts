/** In which of several drafts the edits of a page were made, so that one undo takes back the last of them. */

export interface EditOrder<Name extends string> {
  /** Drafts of the edits that can be undone, the last at the end. */
  readonly done: readonly Name[]
  readonly undone: readonly Name[]
  readonly last: { readonly key: string; readonly atMs: number } | null
}

/** As in a draft, typing in one field without a longer pause is one step. */
const STEP_PAUSE_MS = 1_000

export const NO_EDITS = { done: [], undone: [], last: null } as const

/** An edit of the fields in a draft. */
export function recordEdit<Name extends string>(
  order: EditOrder<Name>,
  name: Name,
  { fields, atMs }: { readonly fields: readonly string[]; readonly atMs: number },
): EditOrder<Name> {
  const key = `${name} ${fields.join(' ')}`
  const goesOn = order.last !== null && order.last.key === key && atMs - order.last.atMs < STEP_PAUSE_MS
  return { done: goesOn ? order.done : [...order.done, name], undone: [], last: { key, atMs } }
}

/** The draft whose edit is undone next. Edits of saved drafts, which cannot be undone, are dropped. */
export function planUndo<Name extends string>(
  order: EditOrder<Name>,
  canUndo: (name: Name) => boolean,
): { readonly name: Name; readonly order: EditOrder<Name> } | null {
  const at = order.done.findLastIndex(canUndo)
  const name = order.done[at]
  if (name === undefined) return null
  return { name, order: { done: order.done.slice(0, at), undone: [name, ...order.undone], last: null } }
}

/** The draft whose edit is redone next. */
export function planRedo<Name extends string>(
  order: EditOrder<Name>,
  canRedo: (name: Name) => boolean,
): { readonly name: Name; readonly order: EditOrder<Name> } | null {
  const at = order.undone.findIndex(canRedo)
  const name = order.undone[at]
  if (name === undefined) return null
  return { name, order: { done: [...order.done, name], undone: order.undone.slice(at + 1), last: null } }
}
