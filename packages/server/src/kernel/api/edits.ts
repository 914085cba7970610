import type { VersionSelector } from '@parley/contract/fields'
import { AppError, invalidField, notFound } from '../errors.ts'
import { decideEdit, type EditDecision, type VersionState } from '../versions/versions.ts'

/** A response with the resource's edit count, which is sent as the `ETag`. */
export interface WithEditCount<Response> {
  readonly response: Response
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

/** Kind and id of a resource for error messages, such as `agent "agent_…"`. */
export interface ResourceName {
  readonly kind: string
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
  const editedEntries = names.map((name) => [name, body[name] === undefined ? current[name] : body[name]])
  return Object.fromEntries(editedEntries) as Pick<Fields, Name>
}

/** Reads the version from the query or the body; both must agree. */
export function resolveVersion(queryVersion: number | undefined, bodyVersion: number | undefined): number | undefined {
  if (queryVersion !== undefined && bodyVersion !== undefined && queryVersion !== bodyVersion) {
    throw invalidField('version', `is ${queryVersion} in the query and ${bodyVersion} in the body`)
  }
  return queryVersion ?? bodyVersion
}

/** Throws `version_conflict` if the resource changed since the caller read it. A null `ifMatch` accepts any state. */
export function checkEditCount({ kind, id }: ResourceName, ifMatch: number | null, editCount: number): void {
  if (ifMatch === null || ifMatch === editCount) return
  const message = `${kind} "${id}" was edited since you read it. Read it again and repeat the change.`
  throw new AppError('version_conflict', capitalize(message))
}

/** Builds the error for a missing resource, or for a missing version if the selector is a number. */
export function createMissingVersionError({ kind, id }: ResourceName, selector: VersionSelector): AppError {
  if (typeof selector !== 'number') return notFound(kind, id)
  return new AppError('not_found', `No version ${selector} of ${kind} "${id}" exists in this workspace.`)
}

export type AllowedEdit = Extract<EditDecision, { type: 'edit-draft' | 'next-version' }>

/** Decides which version an edit writes. Throws `version_frozen` or `not_found`. */
export function planEdit(
  name: ResourceName,
  latestVersion: VersionState,
  requestedVersion: number | undefined,
): AllowedEdit {
  const decision = decideEdit(latestVersion, requestedVersion)
  if (decision.type === 'unknown-version') throw createMissingVersionError(name, decision.version)
  if (decision.type !== 'frozen') return decision
  throw new AppError(
    'version_frozen',
    `Version ${decision.version} of ${name.kind} "${name.id}" was used or published and can no longer change. Omit "version" to create the next version.`,
  )
}

function capitalize(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}
