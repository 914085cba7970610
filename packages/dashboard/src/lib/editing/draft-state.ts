/** Unsaved edits to a record, as pure functions. */

/** A record as stored on the server, with its ETag. */
export interface Snapshot<Value> {
  readonly value: Value
  readonly etag: string | null
}

export interface DraftState<Value extends object> {
  /** The state before the edits. */
  readonly base: Snapshot<Value>
  readonly edits: Partial<Value>
  /** Undo steps, oldest first. */
  readonly past: readonly Partial<Value>[]
  /** Redo steps, next step first. */
  readonly future: readonly Partial<Value>[]
  /** Further edits of the same field without a pause belong to the same undo step. */
  readonly lastEdit: { readonly field: string; readonly timestampMs: number } | null
}

const MAX_UNDO_STEPS = 100
/** A longer pause starts a new undo step. */
const UNDO_STEP_PAUSE_MS = 1_000

export function createDraft<Value extends object>(
  base: Snapshot<Value>,
  edits: Partial<Value> = {},
): DraftState<Value> {
  return { base, edits, past: [], future: [], lastEdit: null }
}

export function edit<Value extends object>(
  state: DraftState<Value>,
  changes: Partial<Value>,
  timestampMs: number,
): DraftState<Value> {
  const field = Object.keys(changes).join(' ')
  const { lastEdit } = state
  const isSameUndoStep =
    lastEdit !== null && lastEdit.field === field && timestampMs - lastEdit.timestampMs < UNDO_STEP_PAUSE_MS
  return {
    base: state.base,
    edits: removeUnchangedEdits(state.base.value, { ...state.edits, ...changes }),
    past: isSameUndoStep ? state.past : [...state.past, state.edits].slice(-MAX_UNDO_STEPS),
    future: [],
    lastEdit: { field, timestampMs: timestampMs },
  }
}

export function undo<Value extends object>(state: DraftState<Value>): DraftState<Value> {
  const previousEdits = state.past.at(-1)
  if (previousEdits === undefined) return state
  return {
    ...state,
    edits: previousEdits,
    past: state.past.slice(0, -1),
    future: [state.edits, ...state.future],
    lastEdit: null,
  }
}

export function redo<Value extends object>(state: DraftState<Value>): DraftState<Value> {
  const [next, ...future] = state.future
  if (next === undefined) return state
  return { ...state, edits: next, past: [...state.past, state.edits], future, lastEdit: null }
}

/** Bases an unedited draft on a newer snapshot. A draft with edits keeps its base. */
export function updateBase<Value extends object>(state: DraftState<Value>, latest: Snapshot<Value>): DraftState<Value> {
  if (latest.etag === state.base.etag && latest.value === state.base.value) return state
  return isEdited(state) ? state : createDraft(latest)
}

/** Applies the edits to a newer snapshot. Other users' changes to other fields are kept. */
export function rebase<Value extends object>(state: DraftState<Value>, latest: Snapshot<Value>): DraftState<Value> {
  return createDraft(latest, removeUnchangedEdits(latest.value, state.edits))
}

/** Removes the edits that were saved. Edits made during the request are kept. */
export function markSaved<Value extends object>(
  state: DraftState<Value>,
  sentEdits: Partial<Value>,
  savedSnapshot: Snapshot<Value>,
): DraftState<Value> {
  const remainingEdits = Object.entries(state.edits).filter(
    ([name, value]) => !isJsonEqual(value, sentEdits[name as keyof Value]),
  )
  return createDraft(
    savedSnapshot,
    removeUnchangedEdits(savedSnapshot.value, Object.fromEntries(remainingEdits) as Partial<Value>),
  )
}

export function isEdited<Value extends object>({ edits }: DraftState<Value>): boolean {
  return Object.keys(edits).length > 0
}

/** Returns the record with its edits. */
export function getEditedValue<Value extends object>({ base, edits }: DraftState<Value>): Value {
  return { ...base.value, ...edits }
}

export function listChangedFields<Value extends object>(from: Value, to: Value): (keyof Value)[] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)]) as Set<keyof Value>
  return [...names].filter((name) => !isJsonEqual(from[name], to[name]))
}

function removeUnchangedEdits<Value extends object>(value: Value, edits: Partial<Value>): Partial<Value> {
  const changedFields = Object.entries(edits).filter(
    ([name, editedValue]) => !isJsonEqual(editedValue, value[name as keyof Value]),
  )
  return Object.fromEntries(changedFields) as Partial<Value>
}

/** Whether two JSON values are equal, regardless of key order. */
export function isJsonEqual(first: unknown, second: unknown): boolean {
  if (Object.is(first, second)) return true
  if (typeof first !== 'object' || typeof second !== 'object' || first === null || second === null) return false
  if (Array.isArray(first) !== Array.isArray(second)) return false
  const names = Object.keys(first)
  if (names.length !== Object.keys(second).length) return false
  return names.every(
    (name) =>
      name in second &&
      isJsonEqual((first as Record<string, unknown>)[name], (second as Record<string, unknown>)[name]),
  )
}
