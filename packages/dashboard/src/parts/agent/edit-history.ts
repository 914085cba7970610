/** A shared undo history for all drafts of a page. */
export interface EditHistory<Name extends string> {
  /** The edited draft of each undo step, latest last. */
  readonly undoStack: readonly Name[]
  readonly redoStack: readonly Name[]
  readonly lastEdit: { readonly key: string; readonly atMs: number } | null
}

/** A longer pause starts a new undo step, as in a single draft. */
const UNDO_STEP_PAUSE_MS = 1_000

export const EMPTY_HISTORY = { undoStack: [], redoStack: [], lastEdit: null } as const

/** Records an edit to fields of a draft. */
export function recordEdit<Name extends string>(
  history: EditHistory<Name>,
  name: Name,
  { fields, atMs }: { readonly fields: readonly string[]; readonly atMs: number },
): EditHistory<Name> {
  const key = `${name} ${fields.join(' ')}`
  const isSameUndoStep =
    history.lastEdit !== null && history.lastEdit.key === key && atMs - history.lastEdit.atMs < UNDO_STEP_PAUSE_MS
  return {
    undoStack: isSameUndoStep ? history.undoStack : [...history.undoStack, name],
    redoStack: [],
    lastEdit: { key, atMs },
  }
}

/** Finds the draft to undo next. Drops edits to saved drafts, because they cannot be undone. */
export function planUndo<Name extends string>(
  history: EditHistory<Name>,
  canUndo: (name: Name) => boolean,
): { readonly name: Name; readonly history: EditHistory<Name> } | null {
  const index = history.undoStack.findLastIndex(canUndo)
  const name = history.undoStack[index]
  if (name === undefined) return null
  return {
    name,
    history: { undoStack: history.undoStack.slice(0, index), redoStack: [name, ...history.redoStack], lastEdit: null },
  }
}

/** Finds the draft to redo next. */
export function planRedo<Name extends string>(
  history: EditHistory<Name>,
  canRedo: (name: Name) => boolean,
): { readonly name: Name; readonly history: EditHistory<Name> } | null {
  const index = history.redoStack.findIndex(canRedo)
  const name = history.redoStack[index]
  if (name === undefined) return null
  return {
    name,
    history: { undoStack: [...history.undoStack, name], redoStack: history.redoStack.slice(index + 1), lastEdit: null },
  }
}
