import { useState } from 'react'
import { Problem } from '../api/problem.ts'
import type { Draft } from './draft.ts'
import type { Snapshot } from './draft-state.ts'

/** Somebody else has saved meanwhile. */
export interface Conflict<Value> {
  /** What the edits began from. */
  readonly before: Value
  readonly theirs: Snapshot<Value>
}

export interface Saving<Value extends object> {
  /** Saves the edits; true when the server has them all. */
  save(): Promise<boolean>
  readonly isSaving: boolean
  /** Why the last save failed; null after one that worked, and without edits: it is about them. */
  readonly problem: Problem | null
  readonly conflict: Conflict<Value> | null
  /** Ends the conflict: with the edits on top of the others', or without them. */
  resolve(choice: 'keep-mine' | 'take-theirs'): void
  /** Goes on editing; the next save asks again. */
  postpone(): void
}

export interface SaveOptions<Value extends object> {
  /** Sends the edits, refused when `etag` is not the newest state. */
  readonly write: (edits: Partial<Value>, etag: string | null) => Promise<Snapshot<Value>>
  /** Reads the newest state. */
  readonly read: () => Promise<Snapshot<Value>>
}

/** Saves a draft without ever overwriting what somebody else has saved. */
export function useSaving<Value extends object>(
  draft: Draft<Value>,
  { write, read }: SaveOptions<Value>,
): Saving<Value> {
  const [isSaving, setIsSaving] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [conflict, setConflict] = useState<Conflict<Value> | null>(null)

  async function save(): Promise<boolean> {
    if (isSaving) return false
    if (!draft.isEdited) return true
    const sent = draft.edits
    setIsSaving(true)
    try {
      draft.settle(sent, await write(sent, draft.base.etag))
      setProblem(null)
      return true
    } catch (error) {
      await fail(error)
      return false
    } finally {
      setIsSaving(false)
    }
  }

  async function fail(error: unknown): Promise<void> {
    if (!(error instanceof Problem)) throw error
    if (error.code !== 'version_conflict') {
      setProblem(error)
      return
    }
    try {
      setConflict({ before: draft.base.value, theirs: await read() })
    } catch (reading) {
      setProblem(reading instanceof Problem ? reading : error)
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
