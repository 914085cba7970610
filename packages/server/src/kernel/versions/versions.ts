import type { VersionContent, Versioned, VersionTarget } from './version-store.ts'

/** Rules of versions as pure functions; stores execute them. */

export interface VersionState {
  readonly version: number
  /** True for used or published versions, which never change. */
  readonly frozen: boolean
}

export type EditDecision =
  | { readonly type: 'edit-draft'; readonly version: number }
  | { readonly type: 'next-version'; readonly version: number }
  /** The version in the request cannot be edited. */
  | { readonly type: 'frozen'; readonly version: number }
  | { readonly type: 'unknown-version'; readonly version: number }

/**
 * Edits the newest version while it is an unused draft, else creates the next version. Earlier versions are always
 * frozen.
 */
export function decideEdit(newest: VersionState, requested: number | undefined): EditDecision {
  if (requested !== undefined && requested > newest.version) return { type: 'unknown-version', version: requested }
  if (requested !== undefined && (requested < newest.version || newest.frozen))
    return { type: 'frozen', version: requested }
  return newest.frozen
    ? { type: 'next-version', version: newest.version + 1 }
    : { type: 'edit-draft', version: newest.version }
}

/** The first version after `insert`, as `find` would return it. */
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

/**
 * The newest version after `updateDraft` or `insertNext`, as `find` would return it. `newest` is the version before.
 */
export function editedVersion<Definition>(
  newest: Versioned<Definition>,
  { version, now }: VersionTarget,
  { definition, engine = null }: VersionContent<Definition>,
): Versioned<Definition> {
  const edited = { ...newest, editCount: newest.editCount + 1, updatedAt: now, definition, engine }
  if (version === newest.version) return edited
  // Without a pointer or a publication, the newest version is the active one.
  const movesActiveVersion =
    newest.activePointer === null && !newest.published && newest.activeVersion === newest.newestVersion
  return { ...edited, ...DRAFT, version, newestVersion: version, ...(movesActiveVersion && { activeVersion: version }) }
}

const DRAFT = { frozen: false, published: false, title: null, description: null } as const
