import type { VersionContent, Versioned, VersionTarget } from './version-store.ts'

/** The rules of versions, as pure decisions; stores carry them out. */

export interface VersionState {
  readonly version: number
  /** Used or published: never rewritten. */
  readonly frozen: boolean
}

export type EditDecision =
  | { readonly type: 'edit-draft'; readonly version: number }
  | { readonly type: 'next-version'; readonly version: number }
  /** The caller asked to edit a version that may not change. */
  | { readonly type: 'frozen'; readonly version: number }
  | { readonly type: 'unknown-version'; readonly version: number }

/**
 * What an edit does: it changes the newest version while that is an unused draft, else it makes the next one. Versions before
 * the newest are always frozen, since a next version is only made when the newest is.
 */
export function decideEdit(newest: VersionState, requested: number | undefined): EditDecision {
  if (requested !== undefined && requested > newest.version) return { type: 'unknown-version', version: requested }
  if (requested !== undefined && (requested < newest.version || newest.frozen))
    return { type: 'frozen', version: requested }
  return newest.frozen
    ? { type: 'next-version', version: newest.version + 1 }
    : { type: 'edit-draft', version: newest.version }
}

/** What a write makes of a version, so that nobody reads again what was just written. */

/** What `find` answers for the first version that `insert` wrote. */
export function insertedVersion<Definition>(
  { id, workspaceId, now }: { id: string; workspaceId: number; now: number },
  { definition, engine = null }: VersionContent<Definition>,
): Versioned<Definition> {
  return {
    id,
    workspaceId,
    ...DRAFT,
    version: 1,
    newestVersion: 1,
    activePointer: null,
    activeVersion: 1,
    editCount: 1,
    createdAt: now,
    updatedAt: now,
    definition,
    engine,
  }
}

/** What `find` answers for the newest version after `updateDraft` or `insertNext`; `newest` is what it was before. */
export function editedVersion<Definition>(
  newest: Versioned<Definition>,
  { version, now }: VersionTarget,
  { definition, engine = null }: VersionContent<Definition>,
): Versioned<Definition> {
  const edited = { ...newest, editCount: newest.editCount + 1, updatedAt: now, definition, engine }
  if (version === newest.version) return edited
  // Neither the pointer nor a publication holds the active version where it was.
  const movesActiveVersion =
    newest.activePointer === null && !newest.published && newest.activeVersion === newest.newestVersion
  return { ...edited, ...DRAFT, version, newestVersion: version, ...(movesActiveVersion && { activeVersion: version }) }
}

const DRAFT = { frozen: false, published: false, title: null, description: null } as const
