import type { EditedVersionQuery, PublishBody, VersionQuery, VersionSelector } from '@parley/contract/fields'
import type { InputOf, Operation } from '@parley/contract/operation'
import type { pagingQuery } from '@parley/contract/pagination'
import type { z } from 'zod'
import { type EditTarget, resolveVersion, type VersionEditTarget, type WithEditCount } from '../../kernel/api/edits.ts'
import {
  type CachedApi,
  implement,
  implementRead,
  respondWithEtag,
  respondWithVersionPage,
} from '../../kernel/api/implement.ts'
import { type Page, type PageRequest, parsePageRequest } from '../../kernel/api/paging.ts'
import type { Publication, Versioned, VersionMetadata } from '../../kernel/versions/version-store.ts'

/** A created or updated resource with warnings. */
export type Written<Resource> = Resource & { warnings: string[] }

/** Service for a resource with versions. */
export interface VersionedService<CreateBody, UpdateBody, Resource, Version, Item = Resource> {
  create(workspaceId: number, body: CreateBody): Promise<WithEditCount<Written<Resource>>>
  list(workspaceId: number, page: PageRequest): Promise<Page<Item>>
  get(workspaceId: number, id: string, selector: VersionSelector): Promise<WithEditCount<Resource>>
  update(target: VersionEditTarget, body: UpdateBody): Promise<WithEditCount<Written<Resource>>>
  listVersions(workspaceId: number, id: string, page: PageRequest): Promise<Page<Version>>
  /** Removes the resource with all its versions. */
  remove(target: EditTarget): Promise<void>
  publish(target: VersionEditTarget, publication: Publication): Promise<WithEditCount<Resource>>
}

type PageQuery = ReturnType<typeof pagingQuery>
type ResponseSchema<Resource> = z.ZodType<unknown, Resource>

/** The operations that all resources with versions have. */
interface VersionedOperations<Path extends z.ZodObject, CreateBody, UpdateBody, Resource, Version, Item> {
  readonly create: Operation<undefined, undefined, z.ZodType<CreateBody>, ResponseSchema<Written<Resource>>>
  readonly list: Operation<undefined, PageQuery, undefined, ResponseSchema<Item[]>>
  readonly get: Operation<Path, typeof VersionQuery, undefined, ResponseSchema<Resource>>
  readonly update: Operation<Path, typeof EditedVersionQuery, z.ZodType<UpdateBody>, ResponseSchema<Written<Resource>>>
  readonly remove: Operation<Path, z.ZodObject, undefined, undefined>
  readonly listVersions: Operation<Path, PageQuery, undefined, ResponseSchema<Version[]>>
  readonly publish: Operation<Path, undefined, typeof PublishBody, ResponseSchema<Resource>>
}

interface VersionedRoutes<Path extends z.ZodObject, Operations, Service> {
  readonly operations: Operations
  readonly service: Service
  readonly getId: (path: InputOf<Operation<Path>>['path']) => string
  /** The version that reads return by default. */
  readonly defaultVersion: VersionSelector
}

/** Registers the operations of a resource with versions. */
export function registerVersionedRoutes<
  Path extends z.ZodObject,
  CreateBody,
  UpdateBody extends { readonly version?: number | undefined },
  Resource,
  Version extends { readonly version: number },
  Item extends { readonly version: number },
>(
  cachedApi: CachedApi,
  routes: VersionedRoutes<
    Path,
    VersionedOperations<Path, CreateBody, UpdateBody, Resource, Version, Item>,
    VersionedService<CreateBody, UpdateBody, Resource, Version, Item>
  >,
): void {
  const { api } = cachedApi
  const { operations, service, getId, defaultVersion } = routes

  implementRead(cachedApi, operations.list, async ({ query }, context) =>
    respondWithVersionPage(context, await service.list(context.workspaceId, parsePageRequest(query))),
  )

  implementRead(cachedApi, operations.get, async ({ path, query }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, getId(path), query.version ?? defaultVersion)),
  )

  implementRead(cachedApi, operations.listVersions, async ({ path, query }, context) =>
    respondWithVersionPage(
      context,
      await service.listVersions(context.workspaceId, getId(path), parsePageRequest(query)),
    ),
  )

  implement(api, operations.create, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.workspaceId, body)),
  )

  implement(api, operations.update, async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = resolveVersion(query.version, body.version)
    return respondWithEtag(context, await service.update({ workspaceId, id: getId(path), ifMatch, version }, body))
  })

  implement(api, operations.remove, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, id: getId(path), ifMatch }),
  )

  implement(api, operations.publish, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, id: getId(path), ifMatch, version: body.version }
    return respondWithEtag(context, await service.publish(target, body))
  })
}

/** Builds the fields that all items of version lists have. */
export function buildMetadataFields(version: VersionMetadata) {
  return {
    version: version.version,
    is_published: version.published,
    is_frozen: version.frozen,
    version_title: version.title,
    version_description: version.description,
    updated_at: new Date(version.updatedAt).toISOString(),
  }
}

/** Builds the fields that all responses with a version have. */
export function buildVersionFields(version: Versioned<unknown>) {
  return {
    ...buildMetadataFields(version),
    workspaceId: version.workspaceId,
    created_at: new Date(version.createdAt).toISOString(),
  }
}
