import { useState } from 'react'
import { Problem } from '../api/problem.ts'
import type { Draft } from './draft.ts'
import type { Snapshot } from './draft-state.ts'

/** A conflict with changes that another user saved after the edits started. */
export interface Conflict<Value> {
  /** The state before the edits. */
  readonly base: Value
  readonly theirs: Snapshot<Value>
}

export interface DraftSaver<Value extends object> {
  /** Saves the edits. Returns true if all edits are saved. */
  save(): Promise<boolean>
  readonly isSaving: boolean
  /** Why the last save failed; null if there are no edits. */
  readonly problem: Problem | null
  readonly conflict: Conflict<Value> | null
  resolve(choice: 'keep-mine' | 'take-theirs'): void
  /** Closes the conflict. The next save reports the conflict again. */
  postpone(): void
}

export interface SaveOptions<Value extends object> {
  /** Saves the edits. Must fail with `version_conflict` unless `etag` is the current state. */
  readonly write: (edits: Partial<Value>, etag: string | null) => Promise<Snapshot<Value>>
  readonly read: () => Promise<Snapshot<Value>>
}

/** Saves a draft without overwriting other users' changes. */
export function useDraftSaver<Value extends object>(
  draft: Draft<Value>,
  { write, read }: SaveOptions<Value>,
): DraftSaver<Value> {
  const [isSaving, setIsSaving] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [conflict, setConflict] = useState<Conflict<Value> | null>(null)

  async function save(): Promise<boolean> {
    if (isSaving) return false
    if (!draft.isEdited) return true
    const sentEdits = draft.edits
    setIsSaving(true)
    try {
      draft.markSaved(sentEdits, await write(sentEdits, draft.base.etag))
      setProblem(null)
      return true
    } catch (error) {
      await handleFailure(error)
      return false
    } finally {
      setIsSaving(false)
    }
  }

  async function handleFailure(error: unknown): Promise<void> {
    if (!(error instanceof Problem)) throw error
    if (error.code !== 'version_conflict') {
      setProblem(error)
      return
    }
    try {
      setConflict({ base: draft.base.value, theirs: await read() })
    } catch (readError) {
      setProblem(readError instanceof Problem ? readError : error)
    }
  }

  return {
    save,
    isSaving,
    problem: draft.isEdited ? problem : null,
    conflict,
    resolve(choice) {
      if (conflict === null) return
      if (choice === 'keep-mine') draft.rebase(conflict.theirs)
      else draft.discard(conflict.theirs)
      setConflict(null)
      setProblem(null)
    },
    postpone: () => setConflict(null),
  }
}
