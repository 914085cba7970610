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
import type { Publication, Versioned, VersionOutline } from '../../kernel/versions/version-store.ts'

/** Response to a write: the resource with warnings. */
export type Written<Answer> = Answer & { warnings: string[] }

/** Service for a resource with versions. */
export interface VersionedService<CreateBody, UpdateBody, Answer, Version, Item = Answer> {
  create(workspaceId: number, body: CreateBody): Promise<WithEditCount<Written<Answer>>>
  list(workspaceId: number, page: PageRequest): Promise<Page<Item>>
  get(workspaceId: number, id: string, selector: VersionSelector): Promise<WithEditCount<Answer>>
  update(target: VersionEditTarget, body: UpdateBody): Promise<WithEditCount<Written<Answer>>>
  listVersions(workspaceId: number, id: string, page: PageRequest): Promise<Page<Version>>
  /** Removes the resource with all its versions. */
  remove(target: EditTarget): Promise<void>
  publish(target: VersionEditTarget, publication: Publication): Promise<WithEditCount<Answer>>
}

type Paging = ReturnType<typeof pagingQuery>
type Answers<Answer> = z.ZodType<unknown, Answer>

/** The operations of every resource with versions. */
interface VersionedOperations<Path extends z.ZodObject, CreateBody, UpdateBody, Answer, Version, Item> {
  readonly create: Operation<undefined, undefined, z.ZodType<CreateBody>, Answers<Written<Answer>>>
  readonly list: Operation<undefined, Paging, undefined, Answers<Item[]>>
  readonly get: Operation<Path, typeof VersionQuery, undefined, Answers<Answer>>
  readonly update: Operation<Path, typeof EditedVersionQuery, z.ZodType<UpdateBody>, Answers<Written<Answer>>>
  readonly remove: Operation<Path, z.ZodObject, undefined, undefined>
  readonly listVersions: Operation<Path, Paging, undefined, Answers<Version[]>>
  readonly publish: Operation<Path, undefined, typeof PublishBody, Answers<Answer>>
}

interface VersionedRoutes<Path extends z.ZodObject, Operations, Service> {
  readonly operations: Operations
  readonly service: Service
  readonly getId: (path: InputOf<Operation<Path>>['path']) => string
  /** The version returned by a read without `version`. */
  readonly defaultVersion: VersionSelector
}

/** Registers the operations for a resource with versions. The cache holds resources and their versions. */
export function registerVersionedRoutes<
  Path extends z.ZodObject,
  CreateBody,
  UpdateBody extends { readonly version?: number | undefined },
  Answer,
  Version extends { readonly version: number },
  Item extends { readonly version: number },
>(
  cached: CachedApi,
  mounted: VersionedRoutes<
    Path,
    VersionedOperations<Path, CreateBody, UpdateBody, Answer, Version, Item>,
    VersionedService<CreateBody, UpdateBody, Answer, Version, Item>
  >,
): void {
  const { api } = cached
  const { operations, service, getId: idOf, defaultVersion } = mounted

  implementRead(cached, operations.list, async ({ query }, context) =>
    respondWithVersionPage(context, await service.list(context.workspaceId, parsePageRequest(query))),
  )

  implementRead(cached, operations.get, async ({ path, query }, context) =>
    respondWithEtag(context, await service.get(context.workspaceId, idOf(path), query.version ?? defaultVersion)),
  )

  implementRead(cached, operations.listVersions, async ({ path, query }, context) =>
    respondWithVersionPage(
      context,
      await service.listVersions(context.workspaceId, idOf(path), parsePageRequest(query)),
    ),
  )

  implement(api, operations.create, async ({ body }, context) =>
    respondWithEtag(context, await service.create(context.workspaceId, body)),
  )

  implement(api, operations.update, async ({ path, query, body }, context) => {
    const { workspaceId, ifMatch } = context
    const version = resolveVersion(query.version, body.version)
    return respondWithEtag(context, await service.update({ workspaceId, id: idOf(path), ifMatch, version }, body))
  })

  implement(api, operations.remove, ({ path }, { workspaceId, ifMatch }) =>
    service.remove({ workspaceId, id: idOf(path), ifMatch }),
  )

  implement(api, operations.publish, async ({ path, body }, context) => {
    const { workspaceId, ifMatch } = context
    const target = { workspaceId, id: idOf(path), ifMatch, version: body.version }
    return respondWithEtag(context, await service.publish(target, body))
  })
}

/** Builds the fields that a version of any resource has in a version list. */
export function buildOutlineFields(outline: VersionOutline) {
  return {
    version: outline.version,
    is_published: outline.published,
    is_frozen: outline.frozen,
    version_title: outline.title,
    version_description: outline.description,
    updated_at: new Date(outline.updatedAt).toISOString(),
  }
}

/** Builds the fields that a version of any resource has in a response. */
export function buildVersionFields(version: Versioned<unknown>) {
  return {
    ...buildOutlineFields(version),
    workspaceId: version.workspaceId,
    created_at: new Date(version.createdAt).toISOString(),
  }
}
