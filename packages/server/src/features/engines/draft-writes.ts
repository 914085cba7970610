import { BatchConflictError, type Database } from '../../kernel/storage/database.ts'
import type { VersionContent, Versioned, VersionStore, VersionTarget } from '../../kernel/versions/version-store.ts'
import { buildEditedVersion } from '../../kernel/versions/versions.ts'

/** Computes the content of the newest version after an edit. Returns null if the edit requires a transaction. */
export type DecideDraft<Definition> = (newestVersion: Versioned<Definition>) => {
  readonly target: VersionTarget
  readonly content: VersionContent<Definition>
} | null

/** Writes edits of drafts in batches. */
interface DraftWrites<Definition> {
  /**
   * Decides an edit of the newest version and writes it. Returns null without writing if the edit requires a transaction or
   * other writers keep changing the resource. Throws the errors of `decide` and `find`. Edits of one resource that arrive
   * during a write are decided in order and written together.
   */
  write(resource: ResourceKey, decide: DecideDraft<Definition>): Promise<Versioned<Definition> | null>
}

/** Identifies a resource within its workspace. */
interface ResourceKey {
  readonly workspaceId: number
  readonly id: string
}

const MAX_ATTEMPTS = 3

interface QueuedEdit<Definition> {
  readonly decide: DecideDraft<Definition>
  readonly outcome: PromiseWithResolvers<Versioned<Definition> | null>
}

export function createDraftWrites<Definition>(
  database: Pick<Database, 'batch' | 'queryBuilder'>,
  store: VersionStore<Definition>,
  find: (resource: ResourceKey) => Promise<Versioned<Definition>>,
): DraftWrites<Definition> {
  /** Waiting edits by workspace and resource. An entry exists while an edit of the resource is being written. */
  const queues = new Map<string, QueuedEdit<Definition>[]>()

  /**
   * Writes the edits and decides them again after a conflict. After repeated conflicts, resolves to null, so that callers use
   * transactions instead.
   */
  async function writeWithRetries(
    edits: readonly QueuedEdit<Definition>[],
    read: () => Promise<Versioned<Definition>>,
  ) {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (await writeBatch(database, store, { storedVersion: await read(), edits })) return
    }
    for (const { outcome } of edits) outcome.resolve(null)
  }

  async function writeQueued(resource: ResourceKey, queue: QueuedEdit<Definition>[]): Promise<void> {
    while (queue.length > 0) {
      const edits = queue.splice(0)
      try {
        await writeWithRetries(edits, () => find(resource))
      } catch (error) {
        for (const { outcome } of edits) outcome.reject(error)
      }
    }
    queues.delete(formatKey(resource))
  }

  return {
    write(resource, decide) {
      const outcome = Promise.withResolvers<Versioned<Definition> | null>()
      const queue = queues.get(formatKey(resource))
      if (queue !== undefined) {
        queue.push({ decide, outcome })
      } else {
        const newQueue = [{ decide, outcome }]
        queues.set(formatKey(resource), newQueue)
        void writeQueued(resource, newQueue)
      }
      return outcome.promise
    },
  }
}

const formatKey = ({ workspaceId, id }: ResourceKey): string => `${workspaceId}/${id}`

/**
 * Writes the edits and then resolves or rejects their promises, because each result depends on earlier edits. Returns false
 * without resolving them if another writer was first.
 */
async function writeBatch<Definition>(
  database: Pick<Database, 'batch' | 'queryBuilder'>,
  store: VersionStore<Definition>,
  {
    storedVersion,
    edits,
  }: { readonly storedVersion: Versioned<Definition>; readonly edits: readonly QueuedEdit<Definition>[] },
): Promise<boolean> {
  let newestVersion = storedVersion
  let lastDecision: ReturnType<DecideDraft<Definition>> = null
  const resolvers = edits.map(({ decide, outcome }) => {
    try {
      const decision = decide(newestVersion)
      if (decision === null) return () => outcome.resolve(null)
      lastDecision = decision
      const editedVersion = buildEditedVersion(newestVersion, decision.target, decision.content)
      newestVersion = editedVersion
      return () => outcome.resolve(editedVersion)
    } catch (error) {
      return () => outcome.reject(error)
    }
  })
  const isWritten = await writeDecision(database, store, { found: storedVersion, newestVersion, lastDecision })
  if (isWritten) for (const resolve of resolvers) resolve()
  return isWritten
}

/** Writes the content of the last edit. Returns false if another writer was first. */
async function writeDecision<Definition>(
  database: Pick<Database, 'batch' | 'queryBuilder'>,
  store: VersionStore<Definition>,
  write: {
    readonly found: Versioned<Definition>
    readonly newestVersion: Versioned<Definition>
    readonly lastDecision: ReturnType<DecideDraft<Definition>>
  },
): Promise<boolean> {
  const { found: storedVersion, newestVersion, lastDecision } = write
  if (lastDecision === null) return true
  const { editCount } = storedVersion
  const target = { ...lastDecision.target, editCount, edits: newestVersion.editCount - editCount }
  try {
    await database.batch(store.buildDraftStatements(database, target, lastDecision.content))
    return true
  } catch (error) {
    if (error instanceof BatchConflictError) return false
    throw error
  }
}
