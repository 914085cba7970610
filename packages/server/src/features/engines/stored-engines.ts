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
import { type Page, type PageRequest, paginateVersions } from '../../kernel/api/paging.ts'
import { inUse, type ResourceUser } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import {
  type Publication,
  type Versioned,
  type VersionMetadata,
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

/** The edited version and the names of agents whose new conversations do not use it. */
interface WrittenEngine<Definition> {
  readonly version: Versioned<Definition>
  readonly unaffectedAgents: readonly string[]
}

/** Stores engines of one kind and manages their versions. */
export interface StoredEngines<Definition> {
  readonly store: VersionStore<Definition>
  insert(resource: { id: string; workspaceId: number }, definition: Definition): Promise<Versioned<Definition>>
  /** Finds an engine version. Throws `not_found` if the workspace does not have it. */
  find(reader: Reader, workspaceId: number, id: string, selector: VersionSelector): Promise<Versioned<Definition>>
  /**
   * Edits the newest version, or creates the next version and updates the agents that follow the engine. `edit` returns the new
   * definition. Does nothing if the definition stays the same.
   */
  update(target: VersionEditTarget, edit: (current: Definition) => Definition): Promise<WrittenEngine<Definition>>
  /** Same as `update`, but within a transaction. */
  updateInTransaction(
    transaction: Transaction,
    target: VersionEditTarget,
    edit: (current: Definition) => Definition,
  ): Promise<WrittenEngine<Definition>>
  publish(target: VersionEditTarget, publication: Publication): Promise<Versioned<Definition>>
  /** Removes an engine. Throws `in_use` with the users' names if anything uses the engine. */
  remove(target: VersionEditTarget): Promise<void>
  listVersions(workspaceId: number, id: string, page: PageRequest): Promise<Page<VersionMetadata>>
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one object of small methods over the same store.
export function createStoredEngines<Definition>(
  dependencies: StoredEnginesDependencies,
  { kind, label }: { readonly kind: StoredEngineKind; readonly label: string },
): StoredEngines<Definition> {
  const { database, clock, followers, users } = dependencies
  const store = new VersionStore<Definition>(kind)
  const toResourceName = (id: string): ResourceName => ({ kind: label, id })

  async function find(reader: Reader, workspaceId: number, id: string, selector: VersionSelector) {
    const version = await store.find(reader, workspaceId, id, selector)
    if (version !== null) return version
    throw createMissingVersionError(toResourceName(id), selector)
  }

  async function findForEdit(transaction: Transaction, target: VersionEditTarget, selector: VersionSelector) {
    const version = await find(transaction, target.workspaceId, target.id, selector)
    checkEditCount(toResourceName(target.id), target.ifMatch, version.editCount)
    return version
  }

  const draftWrites = createDraftWrites(database, store, ({ workspaceId, id }) =>
    find(database.read, workspaceId, id, 'latest'),
  )

  /** Edits an engine. Concurrent edits of an unused draft are written together. */
  async function update(target: VersionEditTarget, edit: (current: Definition) => Definition) {
    const { workspaceId, id, ifMatch } = target
    const version = await draftWrites.write({ workspaceId, id }, (newestVersion) => {
      checkEditCount(toResourceName(id), ifMatch, newestVersion.editCount)
      const decision = planEdit(toResourceName(id), newestVersion, target.version)
      const definition = edit(newestVersion.definition)
      if (decision.type !== 'edit-draft' || isDeepStrictEqual(definition, newestVersion.definition)) return null
      return { target: { id, version: decision.version, now: clock.now() }, content: { definition } }
    })
    if (version !== null) return { version, unaffectedAgents: [] }
    return await database.transaction((transaction) => updateInTransaction(transaction, target, edit))
  }

  async function updateInTransaction(
    transaction: Transaction,
    target: VersionEditTarget,
    edit: (current: Definition) => Definition,
  ) {
    const { workspaceId, id } = target
    const newestVersion = await findForEdit(transaction, target, 'latest')
    const decision = planEdit(toResourceName(id), newestVersion, target.version)
    const definition = edit(newestVersion.definition)
    if (isDeepStrictEqual(definition, newestVersion.definition)) return { version: newestVersion, unaffectedAgents: [] }
    const now = clock.now()
    const versionTarget = { id, version: decision.version, now }
    const version = buildEditedVersion(newestVersion, versionTarget, { definition })
    if (decision.type === 'edit-draft') {
      await store.updateDraft(transaction, versionTarget, { definition })
      return { version, unaffectedAgents: [] }
    }
    await store.insertNext(transaction, versionTarget, { definition })
    return { version, unaffectedAgents: await followers.follow(transaction, { workspaceId, engineId: id, now }) }
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
    updateInTransaction,

    publish: (target, publication) =>
      database.transaction(async (transaction) => {
        const { workspaceId, id } = target
        const { version } = await findForEdit(transaction, target, target.version ?? 'latest')
        const versionTarget = { id, version, now: clock.now() }
        await store.freeze(transaction, versionTarget, null)
        await store.publish(transaction, versionTarget, publication)
        return await find(transaction, workspaceId, id, version)
      }),

    remove: (target) =>
      database.transaction(async (transaction) => {
        const { workspaceId, id } = target
        await findForEdit(transaction, target, 'latest')
        const dependents = await users.findUsers(transaction, workspaceId, id)
        if (dependents.length > 0)
          throw inUse(`The ${label} "${id}"`, dependents, 'Delete them or give them another engine first.')
        await store.remove(transaction, id)
      }),

    async listVersions(workspaceId, id, page) {
      const versions = await store.listVersions(database.read, workspaceId, id)
      if (versions.length === 0) throw createMissingVersionError(toResourceName(id), 'latest')
      return paginateVersions(versions, page)
    },
  }
}

/** Returns a warning that lists the agents whose new conversations do not use the edit. */
export function buildUnaffectedAgentWarnings(names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`New conversations of these agents keep their pinned, published or activated version: ${names.join(', ')}.`]
}

/** Creates a source of stored engines of one kind. `completeDefinition` adds the fields that older versions lack. */
export function createEngineSource<Definition>(
  kind: StoredEngineKind,
  completeDefinition: (stored: Definition) => Definition = (stored) => stored,
): EngineSource<Definition> {
  const store = new VersionStore<Definition>(kind)
  return {
    async find(reader, workspaceId, engineId, selector) {
      const version = await store.find(reader, workspaceId, engineId, selector)
      return version === null ? null : { ...version, definition: completeDefinition(version.definition) }
    },
    freeze: (transaction, target) => store.freeze(transaction, target, null),
  }
}

/** Response engine kinds that are stored as resources. */
export type StoredEngineKind = 'llm' | 'conversation-flow'

/** Finds and freezes engines of one kind for other features. */
export interface EngineSource<Definition = unknown> {
  /** Finds an engine version. Returns `null` if it does not exist in the workspace. */
  find(
    reader: Reader,
    workspaceId: number,
    engineId: string,
    selector: VersionSelector,
  ): Promise<{ readonly id: string; readonly version: number; readonly definition: Definition } | null>
  /** Freezes a version on its first use. Does nothing if the version is already frozen. */
  freeze(transaction: Transaction, target: VersionTarget): Promise<void>
}

/** Finds the resources that use an engine and would fail without it. */
export interface EngineUsers {
  findUsers(reader: Reader, workspaceId: number, engineId: string): Promise<readonly ResourceUser[]>
}

/** Updates the agents that follow an engine. */
export interface AgentFollowers {
  /** Creates the next version of every agent that follows the engine. Returns the other agents' names for a warning. */
  follow(
    transaction: Transaction,
    change: { readonly workspaceId: number; readonly engineId: string; readonly now: number },
  ): Promise<readonly string[]>
}
