import type { VersionSelector } from '@parley/contract/fields'
import { AppError, invalidField, notFound } from '../errors.ts'
import { decideEdit, type EditDecision, type VersionState } from '../versions/versions.ts'

/** What edits of every versioned resource have in common: their answers, their guards and their refusals. */

/** An answer with the edit count of its resource, which becomes the `ETag`. */
export interface WithEditCount<Answer> {
  readonly answer: Answer
  readonly editCount: number
}

/** How a resource is spoken of in refusals: `agent "agent_…"`. */
export interface ResourceName {
  readonly what: string
  readonly id: string
}

/** The version may stand in the query or the body; both must agree. */
export function resolveVersion(inQuery: number | undefined, inBody: number | undefined): number | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidField('version', `is ${inQuery} in the query and ${inBody} in the body`)
  }
  return inQuery ?? inBody
}

/** Refuses an edit of something that was edited since the caller read it. `null` takes any state. */
export function checkEditCount({ what, id }: ResourceName, ifMatch: number | null, editCount: number): void {
  if (ifMatch === null || ifMatch === editCount) return
  const message = `${what} "${id}" was edited meanwhile. Read it again and repeat the change.`
  throw new AppError('version_conflict', capitalize(message))
}

/** Neither the resource nor, where a number selects one, the version exists in the workspace. */
export function missingVersion({ what, id }: ResourceName, selector: VersionSelector): AppError {
  if (typeof selector !== 'number') return notFound(what, id)
  return new AppError('not_found', `No version ${selector} of ${what} "${id}" exists in this workspace.`)
}

export type AllowedEdit = Extract<EditDecision, { type: 'edit-draft' | 'next-version' }>

/** Which version an edit writes. Throws `version_frozen` or `not_found` for one that the caller named and cannot have. */
export function planEdit(name: ResourceName, newest: VersionState, requested: number | undefined): AllowedEdit {
  const decision = decideEdit(newest, requested)
  if (decision.type === 'unknown-version') throw missingVersion(name, decision.version)
  if (decision.type !== 'frozen') return decision
  throw new AppError(
    'version_frozen',
    `Version ${decision.version} of ${name.what} "${name.id}" was used or published and never changes. Leave "version" out to make the next one.`,
  )
}

function capitalize(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
