import type { VersionContent, Versioned, VersionTarget } from './version-store.ts'

/** State of a version for the decisions in this file. Stores execute the decisions. */

export interface VersionState {
  readonly version: number
  /** True if the version was used or published. Frozen versions never change. */
  readonly frozen: boolean
}

export type EditDecision =
  | { readonly type: 'edit-draft'; readonly version: number }
  | { readonly type: 'next-version'; readonly version: number }
  /** The requested version cannot be edited. */
  | { readonly type: 'frozen'; readonly version: number }
  | { readonly type: 'unknown-version'; readonly version: number }

/**
 * Decides to edit the latest version if it is an unused draft, and otherwise to create the next version. Earlier versions
 * are always frozen.
 */
export function decideEdit(latestVersion: VersionState, requestedVersion: number | undefined): EditDecision {
  if (requestedVersion !== undefined && requestedVersion > latestVersion.version)
    return { type: 'unknown-version', version: requestedVersion }
  if (requestedVersion !== undefined && (requestedVersion < latestVersion.version || latestVersion.frozen))
    return { type: 'frozen', version: requestedVersion }
  return latestVersion.frozen
    ? { type: 'next-version', version: latestVersion.version + 1 }
    : { type: 'edit-draft', version: latestVersion.version }
}

/** Builds the first version as `find` would return it after `insert`. */
export function buildInsertedVersion<Definition>(
  { id, workspaceId, now }: { id: string; workspaceId: number; now: number },
  { definition, engine = null }: VersionContent<Definition>,
): Versioned<Definition> {
  return {
    id,
    workspaceId,
    ...DRAFT,
    version: 1,
    newestVersion: 1,
    pinnedVersion: null,
    activeVersion: 1,
    editCount: 1,
    createdAt: now,
    updatedAt: now,
    definition,
    engine,
  }
}

/**
 * Builds the latest version as `find` would return it after `updateDraft` or `insertNext`. `latestVersion`
 * is the version before the edit.
 */
export function buildEditedVersion<Definition>(
  latestVersion: Versioned<Definition>,
  { version, now }: VersionTarget,
  { definition, engine = null }: VersionContent<Definition>,
): Versioned<Definition> {
  const editedVersion = { ...latestVersion, editCount: latestVersion.editCount + 1, updatedAt: now, definition, engine }
  if (version === latestVersion.version) return editedVersion
  // Without a pinned or published version, the latest version is active.
  const shouldMoveActiveVersion =
    latestVersion.pinnedVersion === null &&
    !latestVersion.published &&
    latestVersion.activeVersion === latestVersion.newestVersion
  return {
    ...editedVersion,
    ...DRAFT,
    version,
    newestVersion: version,
    ...(shouldMoveActiveVersion && { activeVersion: version }),
  }
}

const DRAFT = { frozen: false, published: false, title: null, description: null } as const
