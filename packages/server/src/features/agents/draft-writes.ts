import { BatchConflictError, type Database } from '../../kernel/storage/database.ts'
import type { Versioned, VersionStore, VersionTarget } from '../../kernel/versions/version-store.ts'
import { editedVersion } from '../../kernel/versions/versions.ts'
import type { AgentContent, AgentDefinition } from './agent-definition.ts'

/** What an edit makes of the newest version; null where it needs a unit of work. */
export type DecideDraft<Definition extends AgentDefinition> = (newest: Versioned<Definition>) => {
  readonly target: VersionTarget
  readonly content: AgentContent<Definition>
} | null

/** Edits of drafts that share their commits. */
export interface DraftWrites<Definition extends AgentDefinition> {
  /**
   * Decides on the newest version and writes it if nobody else edited, used or deleted it since. Null when that failed or
   * needs a unit of work; nothing is written then. Throws what `decide` and `find` throw. Edits of one agent that come
   * while another is being written are decided one after the other and written together.
   */
  write(agent: AgentKey, decide: DecideDraft<Definition>): Promise<Versioned<Definition> | null>
}

/** The workspace counts: who names an agent of another one finds nothing, also beside an edit of its owner. */
interface AgentKey {
  readonly workspaceId: number
  readonly agentId: string
}

interface WaitingEdit<Definition extends AgentDefinition> {
  readonly decide: DecideDraft<Definition>
  readonly outcome: PromiseWithResolvers<Versioned<Definition> | null>
}

export function createDraftWrites<Definition extends AgentDefinition>(
  database: Pick<Database, 'batch' | 'compile'>,
  store: VersionStore<Definition>,
  find: (agent: AgentKey) => Promise<Versioned<Definition>>,
): DraftWrites<Definition> {
  /** By workspace and agent, while an edit of it is being written: those that wait for it. */
  const queues = new Map<string, WaitingEdit<Definition>[]>()

  async function writeWaiting(agent: AgentKey, waiting: WaitingEdit<Definition>[]): Promise<void> {
    while (waiting.length > 0) {
      const edits = waiting.splice(0)
      try {
        await writeTogether(database, store, { found: await find(agent), edits })
      } catch (error) {
        for (const { outcome } of edits) outcome.reject(error)
      }
    }
    queues.delete(keyOf(agent))
  }

  return {
    write(agent, decide) {
      const outcome = Promise.withResolvers<Versioned<Definition> | null>()
      const queue = queues.get(keyOf(agent))
      if (queue !== undefined) {
        queue.push({ decide, outcome })
      } else {
        const started = [{ decide, outcome }]
        queues.set(keyOf(agent), started)
        void writeWaiting(agent, started)
      }
      return outcome.promise
    },
  }
}

const keyOf = ({ workspaceId, agentId }: AgentKey): string => `${workspaceId}/${agentId}`

/** Settles every edit once the last content is on the disk: until then even a refusal stands on what may never be written. */
async function writeTogether<Definition extends AgentDefinition>(
  database: Pick<Database, 'batch' | 'compile'>,
  store: VersionStore<Definition>,
  { found, edits }: { readonly found: Versioned<Definition>; readonly edits: readonly WaitingEdit<Definition>[] },
): Promise<void> {
  let newest = found
  let last: ReturnType<DecideDraft<Definition>> = null
  const settle = edits.map(({ decide, outcome }) => {
    try {
      const decision = decide(newest)
      if (decision === null) return () => outcome.resolve(null)
      last = decision
      const edited = editedVersion(newest, decision.target, decision.content)
      newest = edited
      return () => outcome.resolve(edited)
    } catch (error) {
      return () => outcome.reject(error)
    }
  })
  const isWritten = await writeLast(database, store, { found, newest, last })
  if (isWritten) for (const each of settle) each()
  else for (const { outcome } of edits) outcome.resolve(null)
}

/** False when somebody else wrote first. */
async function writeLast<Definition extends AgentDefinition>(
  database: Pick<Database, 'batch' | 'compile'>,
  store: VersionStore<Definition>,
  written: {
    readonly found: Versioned<Definition>
    readonly newest: Versioned<Definition>
    readonly last: ReturnType<DecideDraft<Definition>>
  },
): Promise<boolean> {
  const { found, newest, last } = written
  if (last === null) return true
  const { editCount } = found
  const target = { ...last.target, editCount, edits: newest.editCount - editCount }
  try {
    await database.batch(store.draftStatements(database, target, last.content))
    return true
  } catch (error) {
    if (error instanceof BatchConflictError) return false
    throw error
  }
}
