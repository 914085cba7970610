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
  /** Typing in one field without a pause is one undo step. */
  readonly lastEdit: { readonly field: string; readonly atMs: number } | null
}

const MAX_STEPS = 100
/** A longer pause starts a new undo step. */
const STEP_PAUSE_MS = 1_000

export function createDraft<Value extends object>(
  base: Snapshot<Value>,
  edits: Partial<Value> = {},
): DraftState<Value> {
  return { base, edits, past: [], future: [], lastEdit: null }
}

export function edit<Value extends object>(
  state: DraftState<Value>,
  changes: Partial<Value>,
  atMs: number,
): DraftState<Value> {
  const field = Object.keys(changes).join(' ')
  const { lastEdit } = state
  const goesOn = lastEdit !== null && lastEdit.field === field && atMs - lastEdit.atMs < STEP_PAUSE_MS
  return {
    base: state.base,
    edits: removeEqual(state.base.value, { ...state.edits, ...changes }),
    past: goesOn ? state.past : [...state.past, state.edits].slice(-MAX_STEPS),
    future: [],
    lastEdit: { field, atMs },
  }
}

export function undo<Value extends object>(state: DraftState<Value>): DraftState<Value> {
  const before = state.past.at(-1)
  if (before === undefined) return state
  return {
    ...state,
    edits: before,
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

/** Replaces the state of an unedited draft with a newer state. A draft with edits keeps its base. */
export function acceptLatest<Value extends object>(
  state: DraftState<Value>,
  latest: Snapshot<Value>,
): DraftState<Value> {
  if (latest.etag === state.base.etag && latest.value === state.base.value) return state
  return isEdited(state) ? state : createDraft(latest)
}

/** Applies the edits to a newer state and keeps other people's changes to other fields. */
export function rebase<Value extends object>(state: DraftState<Value>, latest: Snapshot<Value>): DraftState<Value> {
  return createDraft(latest, removeEqual(latest.value, state.edits))
}

/** Removes saved edits after a save and keeps edits made during the request. */
export function settle<Value extends object>(
  state: DraftState<Value>,
  sent: Partial<Value>,
  saved: Snapshot<Value>,
): DraftState<Value> {
  const left = Object.entries(state.edits).filter(([name, value]) => !isSame(value, sent[name as keyof Value]))
  return createDraft(saved, removeEqual(saved.value, Object.fromEntries(left) as Partial<Value>))
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
  return [...names].filter((name) => !isSame(from[name], to[name]))
}

function removeEqual<Value extends object>(value: Value, edits: Partial<Value>): Partial<Value> {
  const kept = Object.entries(edits).filter(([name, edited]) => !isSame(edited, value[name as keyof Value]))
  return Object.fromEntries(kept) as Partial<Value>
}

/** Whether two JSON values are equal, regardless of key order. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every(
    (name) => name in other && isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
  )
}
