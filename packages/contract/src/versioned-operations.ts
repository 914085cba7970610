import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import { EditedVersionQuery, PublishBody, VersionQuery, WorkspaceQuery } from './fields.ts'
import { type ApiPath, defineOperation } from './operation.ts'
import { pagingQuery } from './pagination.ts'

/** A resource with drafts and versions, and the properties of its operations. */
interface VersionedResource {
  /** Resource name in operation names: `Agent` yields `createAgent`, `listAgents` and so on. */
  readonly name: string
  /** Resource name in a sentence, with its article. */
  readonly noun: string
  readonly tag: string
  readonly paths: { readonly collection: ApiPath; readonly item: ApiPath }
  readonly pathParameters: z.ZodObject
  readonly bodies: { readonly create: z.ZodType; readonly update: z.ZodType; readonly limitBytes?: number }
  /** Schemas of a list item, a read, a write and an entry in the version list. */
  readonly results: Readonly<Record<'item' | 'resource' | 'written' | 'version', z.ZodType>>
  readonly limits: { readonly list: number; readonly versions: number }
  /** Version that a read without `version` returns. */
  readonly defaultVersion: 'latest' | 'active'
  readonly descriptions: { readonly create: string; readonly update: string; readonly delete: string }
  /** Text appended to the description of the publish operation. */
  readonly publishNote?: string
  readonly errors?: { readonly [Name in 'create' | 'delete' | 'publish']?: readonly ErrorCode[] }
}

/** Defines the operations of a versioned resource: create, list, get, update, delete, list versions and publish. */
export function defineVersionedOperations<const Resource extends VersionedResource>(resource: Resource) {
  return {
    ...defineCollectionOperations(resource),
    ...defineItemOperations(resource),
    ...defineVersionOperations(resource),
  }
}

function defineCollectionOperations<const Resource extends VersionedResource>(resource: Resource) {
  const { name, noun, tag, paths, bodies, results, errors = {} } = resource
  const plural = `${noun.replace(/^an? /, '')}s`
  return {
    create: defineOperation({
      name: `create${name}`,
      route: `POST ${paths.collection}`,
      tag,
      summary: `Create ${noun}`,
      description: resource.descriptions.create,
      access: 'write',
      body: bodies.create as Resource['bodies']['create'],
      ...(bodies.limitBytes !== undefined && { bodyLimitBytes: bodies.limitBytes }),
      status: 201,
      result: results.written as Resource['results']['written'],
      ...(errors.create && { errors: errors.create }),
      features: ['etag'],
    }),
    list: defineOperation({
      name: `list${name}s`,
      route: `GET ${paths.collection}`,
      tag,
      summary: `List ${plural}`,
      description: `Returns ${plural} with their latest version, newest first.`,
      access: 'read',
      query: pagingQuery(resource.limits.list),
      result: z.array(results.item as Resource['results']['item']),
      features: ['paged'],
    }),
  }
}

function defineItemOperations<const Resource extends VersionedResource>(resource: Resource) {
  const { name, noun, tag, paths, bodies, results, errors = {} } = resource
  const pathParameters: Resource['pathParameters'] = resource.pathParameters
  return {
    get: defineOperation({
      name: `get${name}`,
      route: `GET ${paths.item}`,
      tag,
      summary: `Get ${noun}`,
      description: `Returns the ${resource.defaultVersion} version unless \`version\` selects another one.`,
      access: 'read',
      pathParameters,
      query: VersionQuery,
      result: results.resource as Resource['results']['resource'],
      features: ['etag'],
    }),
    update: defineOperation({
      name: `update${name}`,
      route: `PATCH ${paths.item}`,
      tag,
      summary: `Update ${noun}`,
      description: resource.descriptions.update,
      access: 'write',
      pathParameters,
      query: EditedVersionQuery,
      body: bodies.update as Resource['bodies']['update'],
      ...(bodies.limitBytes !== undefined && { bodyLimitBytes: bodies.limitBytes }),
      result: results.written as Resource['results']['written'],
      errors: ['version_frozen', 'version_conflict'],
      features: ['etag'],
    }),
    delete: defineOperation({
      name: `delete${name}`,
      route: `DELETE ${paths.item}`,
      tag,
      summary: `Delete ${noun}`,
      description: resource.descriptions.delete,
      access: 'write',
      pathParameters,
      query: WorkspaceQuery,
      errors: [...(errors.delete ?? []), 'version_conflict'],
    }),
  }
}

function defineVersionOperations<const Resource extends VersionedResource>(resource: Resource) {
  const { name, noun, tag, paths, results, publishNote, errors = {} } = resource
  const pathParameters: Resource['pathParameters'] = resource.pathParameters
  const description = 'Publishes a version, by default the latest. A published version never changes again.'
  return {
    listVersions: defineOperation({
      name: `list${name}Versions`,
      route: `GET ${paths.item}/versions`,
      tag,
      summary: `List the versions of ${noun}`,
      description: 'Returns the versions, newest first.',
      access: 'read',
      pathParameters,
      query: pagingQuery(resource.limits.versions),
      result: z.array(results.version as Resource['results']['version']),
      features: ['paged'],
    }),
    publish: defineOperation({
      name: `publish${name}`,
      route: `POST ${paths.item}/publish`,
      tag,
      summary: `Publish a version of ${noun}`,
      description: publishNote === undefined ? description : `${description} ${publishNote}`,
      access: 'write',
      pathParameters,
      body: PublishBody,
      result: results.resource as Resource['results']['resource'],
      errors: ['version_conflict', ...(errors.publish ?? [])],
      features: ['etag'],
    }),
  }
}
