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
