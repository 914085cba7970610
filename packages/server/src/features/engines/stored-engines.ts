import { isDeepStrictEqual } from 'node:util'
import type { VersionSelector } from '@parley/contract/fields'
import type { Clock } from '@parley/engine/ports'
import {
  checkEditCount,
  createMissingVersionError,
  planEdit,
  type ResourceName,
  type VersionEditTarget,
} from '../../kernel/api/edits.ts'
import { type Page, type PageRequest, pageVersions } from '../../kernel/api/paging.ts'
import { inUse, type ResourceUser } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import {
  type Publication,
  type Versioned,
  type VersionOutline,
  VersionStore,
  type VersionTarget,
} from '../../kernel/versions/version-store.ts'
import { buildEditedVersion, buildInsertedVersion } from '../../kernel/versions/versions.ts'
import { createDraftWrites } from './draft-writes.ts'
import type { ToolVault } from './tool-vault.ts'

export interface StoredEnginesDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly followers: AgentFollowers
  readonly users: EngineUsers
  readonly vault: ToolVault
}

/** The edited version and the agents that the edit does not reach. */
interface WrittenEngine<Definition> {
  readonly version: Versioned<Definition>
  readonly unreachedAgents: readonly string[]
}

/** Rules shared by all stored engines: versions, followers and users. */
export interface StoredEngines<Definition> {
  readonly store: VersionStore<Definition>
  insert(resource: { id: string; workspaceId: number }, definition: Definition): Promise<Versioned<Definition>>
  /** Throws `not_found` for an engine or version that the workspace does not have. */
  find(reader: Reader, workspaceId: number, id: string, selector: VersionSelector): Promise<Versioned<Definition>>
  /**
   * Edits the newest version or creates the next one, which agents follow in the same transaction. `edit` maps the
   * newest definition to the new one; an equal result writes nothing.
   */
  update(target: VersionEditTarget, edit: (current: Definition) => Definition): Promise<WrittenEngine<Definition>>
  /** The same within a larger transaction. */
  updateIn(
    transaction: Transaction,
    target: VersionEditTarget,
    edit: (current: Definition) => Definition,
  ): Promise<WrittenEngine<Definition>>
  publish(target: VersionEditTarget, publication: Publication): Promise<Versioned<Definition>>
  /** Throws `in_use` with the names of its users. */
  remove(target: VersionEditTarget): Promise<void>
  listVersions(workspaceId: number, id: string, page: PageRequest): Promise<Page<VersionOutline>>
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one object of small methods over the same store.
export function createStoredEngines<Definition>(
  dependencies: StoredEnginesDependencies,
  { kind, what }: { readonly kind: StoredEngineKind; readonly what: string },
): StoredEngines<Definition> {
  const { database, clock, followers, users } = dependencies
  const store = new VersionStore<Definition>(kind)
  const named = (id: string): ResourceName => ({ what, id })

  async function find(reader: Reader, workspaceId: number, id: string, selector: VersionSelector) {
    const found = await store.find(reader, workspaceId, id, selector)
    if (found !== null) return found
    throw createMissingVersionError(named(id), selector)
  }

  async function findForEdit(transaction: Transaction, target: VersionEditTarget, selector: VersionSelector) {
    const found = await find(transaction, target.workspaceId, target.id, selector)
    checkEditCount(named(target.id), target.ifMatch, found.editCount)
    return found
  }

  const draftWrites = createDraftWrites(database, store, ({ workspaceId, id }) =>
    find(database.read, workspaceId, id, 'latest'),
  )

  /** An edit that changes an unused draft shares its commit with others. */
  async function update(target: VersionEditTarget, edit: (current: Definition) => Definition) {
    const { workspaceId, id, ifMatch } = target
    const version = await draftWrites.write({ workspaceId, id }, (newest) => {
      checkEditCount(named(id), ifMatch, newest.editCount)
      const decision = planEdit(named(id), newest, target.version)
      const definition = edit(newest.definition)
      if (decision.type !== 'edit-draft' || isDeepStrictEqual(definition, newest.definition)) return null
      return { target: { id, version: decision.version, now: clock.now() }, content: { definition } }
    })
    if (version !== null) return { version, unreachedAgents: [] }
    return await database.transaction((transaction) => updateIn(transaction, target, edit))
  }

  async function updateIn(
    transaction: Transaction,
    target: VersionEditTarget,
    edit: (current: Definition) => Definition,
  ) {
    const { workspaceId, id } = target
    const newest = await findForEdit(transaction, target, 'latest')
    const decision = planEdit(named(id), newest, target.version)
    const definition = edit(newest.definition)
    if (isDeepStrictEqual(definition, newest.definition)) return { version: newest, unreachedAgents: [] }
    const now = clock.now()
    const written = { id, version: decision.version, now }
    const version = buildEditedVersion(newest, written, { definition })
    if (decision.type === 'edit-draft') {
      await store.updateDraft(transaction, written, { definition })
      return { version, unreachedAgents: [] }
    }
    await store.insertNext(transaction, written, { definition })
    return { version, unreachedAgents: await followers.follow(transaction, { workspaceId, engineId: id, now }) }
  }

  return {
    store,
    find,

    async insert({ id, workspaceId }, definition) {
      const resource = { id, workspaceId, now: clock.now() }
      await database.transaction((transaction) => store.insert(transaction, resource, { definition }))
      return buildInsertedVersion(resource, { definition })
    },

    update,
    updateIn,

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const { workspaceId, id } = target
        const { version } = await findForEdit(transaction, target, target.version ?? 'latest')
        const published = { id, version, now: clock.now() }
        await store.freeze(transaction, published, null)
        await store.publish(transaction, published, publication)
        return await find(transaction, workspaceId, id, version)
      }),

    remove: (target) =>
      database.transaction(async (transaction) => {
        const { workspaceId, id } = target
        await findForEdit(transaction, target, 'latest')
        const dependents = await users.usersOf(transaction, workspaceId, id)
        if (dependents.length > 0)
          throw inUse(`The ${what} "${id}"`, dependents, 'Delete them or give them another engine first.')
        await store.remove(transaction, id)
      }),

    async listVersions(workspaceId, id, page) {
      const versions = await store.listVersions(database.read, workspaceId, id)
      if (versions.length === 0) throw createMissingVersionError(named(id), 'latest')
      return pageVersions(versions, page)
    },
  }
}

/** Warnings about agents that an edit does not reach. */
export function unreachedAgentWarnings(names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`New conversations of these agents keep their pinned, published or activated version: ${names.join(', ')}.`]
}

/** Finds and freezes stored engines of one kind. `complete` fills in fields that older versions lack. */
export function createEngineSource<Definition>(
  kind: StoredEngineKind,
  complete: (stored: Definition) => Definition = (stored) => stored,
): EngineSource<Definition> {
  const store = new VersionStore<Definition>(kind)
  return {
    async find(reader, workspaceId, engineId, selector) {
      const found = await store.find(reader, workspaceId, engineId, selector)
      return found === null ? null : { ...found, definition: complete(found.definition) }
    },
    freeze: (transaction, target) => store.freeze(transaction, target, null),
  }
}

/** Kinds of response engine that are stored resources. */
export type StoredEngineKind = 'llm' | 'conversation-flow'

/** How other features find and freeze engines of one kind. */
export interface EngineSource<Definition = unknown> {
  /** `null` when the engine or version does not exist in the workspace. */
  find(
    reader: Reader,
    workspaceId: number,
    engineId: string,
    selector: VersionSelector,
  ): Promise<{ readonly id: string; readonly version: number; readonly definition: Definition } | null>
  /** Freezes a version on its first use; does nothing to a frozen one. */
  freeze(transaction: Transaction, target: VersionTarget): Promise<void>
}

/** What uses an engine and would break without it. */
export interface EngineUsers {
  usersOf(reader: Reader, workspaceId: number, engineId: string): Promise<readonly ResourceUser[]>
}

/** Lets agents follow a new version of their engine. */
export interface AgentFollowers {
  /** Creates the next version of every following agent; returns the names of the others for a warning. */
  follow(
    transaction: Transaction,
    change: { readonly workspaceId: number; readonly engineId: string; readonly now: number },
  ): Promise<readonly string[]>
}
