import { useCallback, useEffect, useState } from 'react'
import { now } from '../clock.ts'
import {
  createDraft,
  type DraftState,
  edit,
  getEditedValue,
  isEdited,
  markSaved,
  rebase,
  redo,
  type Snapshot,
  undo,
  updateBase,
} from './draft-state.ts'

/** An edited record. Edits persist across reloads and sign-ins until they are saved or discarded. */
export interface Draft<Value extends object> {
  readonly value: Value
  readonly edits: Partial<Value>
  readonly base: Snapshot<Value>
  readonly isEdited: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  set(changes: Partial<Value>): void
  undo(): void
  redo(): void
  /** Discards the edits and displays `latest`, or the base of the edits. */
  discard(latest?: Snapshot<Value>): void
  rebase(latest: Snapshot<Value>): void
  markSaved(sentEdits: Partial<Value>, savedSnapshot: Snapshot<Value>): void
}

const buildStorageKey = (name: string): string => `parley.draft.${name}`

function restoreDraft<Value extends object>(name: string, latest: Snapshot<Value>): DraftState<Value> {
  try {
    const storedDraft = sessionStorage.getItem(buildStorageKey(name))
    if (storedDraft !== null) {
      const { base, edits } = JSON.parse(storedDraft) as { base: Snapshot<Value>; edits: Partial<Value> }
      return createDraft(base, edits)
    }
  } catch {
    // If storage is not readable, the draft starts empty.
  }
  return createDraft(latest)
}

function storeDraft<Value extends object>(name: string, state: DraftState<Value>): void {
  try {
    if (isEdited(state)) {
      sessionStorage.setItem(buildStorageKey(name), JSON.stringify({ base: state.base, edits: state.edits }))
    } else sessionStorage.removeItem(buildStorageKey(name))
  } catch {
    // Without storage, the edits last until the page closes.
  }
}

/** Returns the draft of a record. `name` identifies the record in browser storage. */
export function useDraft<Value extends object>(name: string, latest: Snapshot<Value>): Draft<Value> {
  const [state, setState] = useState(() => updateBase(restoreDraft(name, latest), latest))
  useEffect(() => setState((current) => updateBase(current, latest)), [latest])
  useEffect(() => storeDraft(name, state), [name, state])
  const set = useCallback((changes: Partial<Value>) => setState((current) => edit(current, changes, now())), [])
  return {
    value: getEditedValue(state),
    edits: state.edits,
    base: state.base,
    isEdited: isEdited(state),
    canUndo: state.past.length > 0,
    canRedo: state.future.length > 0,
    set,
    undo: useCallback(() => setState(undo), []),
    redo: useCallback(() => setState(redo), []),
    discard: useCallback((snapshot) => setState((current) => createDraft(snapshot ?? current.base)), []),
    rebase: useCallback((snapshot) => setState((current) => rebase(current, snapshot)), []),
    markSaved: useCallback(
      (sentEdits, savedSnapshot) => setState((current) => markSaved(current, sentEdits, savedSnapshot)),
      [],
    ),
  }
}
