import type { VersionSelector } from '@parley/contract/fields'
import { AppError, invalidField, notFound } from '../errors.ts'
import { decideEdit, type EditDecision, type VersionState } from '../versions/versions.ts'

/** A response with the resource's edit count, which is sent as the `ETag`. */
export interface WithEditCount<Answer> {
  readonly answer: Answer
  readonly editCount: number
}

/** A resource to change. `ifMatch` is the edit count that the caller has seen; null accepts any. */
export interface EditTarget {
  readonly workspaceId: number
  readonly id: string
  readonly ifMatch: number | null
}

/** A version to change; defaults to the latest version. */
export interface VersionEditTarget extends EditTarget {
  readonly version?: number | undefined
}

/** Name of a resource in error messages, such as `agent "agent_…"`. */
export interface ResourceName {
  readonly what: string
  readonly id: string
}

/** Returns a copy of the object with only the named fields. */
export function pickFields<Fields, Name extends keyof Fields>(
  names: readonly Name[],
  fields: Fields,
): Pick<Fields, Name> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<Fields, Name>
}

/** Applies a PATCH body; absent fields keep their values. */
export function editFields<Fields, Name extends keyof Fields>(
  names: readonly Name[],
  current: Pick<Fields, Name>,
  body: { readonly [Field in Name]?: Fields[Field] | undefined },
): Pick<Fields, Name> {
  const edited = names.map((name) => [name, body[name] === undefined ? current[name] : body[name]])
  return Object.fromEntries(edited) as Pick<Fields, Name>
}

/** Reads the version from the query or the body; both must agree. */
export function resolveVersion(inQuery: number | undefined, inBody: number | undefined): number | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    throw invalidField('version', `is ${inQuery} in the query and ${inBody} in the body`)
  }
  return inQuery ?? inBody
}

/** Throws `version_conflict` if the resource changed since the caller read it. A null `ifMatch` accepts any state. */
export function checkEditCount({ what, id }: ResourceName, ifMatch: number | null, editCount: number): void {
  if (ifMatch === null || ifMatch === editCount) return
  const message = `${what} "${id}" was edited since you read it. Read it again and repeat the change.`
  throw new AppError('version_conflict', capitalize(message))
}

/** Builds the error for a missing resource, or for a missing version if the selector is a number. */
export function createMissingVersionError({ what, id }: ResourceName, selector: VersionSelector): AppError {
  if (typeof selector !== 'number') return notFound(what, id)
  return new AppError('not_found', `No version ${selector} of ${what} "${id}" exists in this workspace.`)
}

export type AllowedEdit = Extract<EditDecision, { type: 'edit-draft' | 'next-version' }>

/** Decides which version an edit writes. Throws `version_frozen` or `not_found`. */
export function planEdit(name: ResourceName, newest: VersionState, requested: number | undefined): AllowedEdit {
  const decision = decideEdit(newest, requested)
  if (decision.type === 'unknown-version') throw createMissingVersionError(name, decision.version)
  if (decision.type !== 'frozen') return decision
  throw new AppError(
    'version_frozen',
    `Version ${decision.version} of ${name.what} "${name.id}" was used or published and never changes. Leave "version" out to make the next one.`,
  )
}

function capitalize(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
