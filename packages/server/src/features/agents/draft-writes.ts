import { BatchConflictError, type Database } from '../../kernel/storage/database.ts'
import type { Versioned, VersionStore, VersionTarget } from '../../kernel/versions/version-store.ts'
import { editedVersion } from '../../kernel/versions/versions.ts'
import type { AgentContent, AgentDefinition } from './agent-definition.ts'

/** What an edit makes of the newest version; null where it needs a unit of work. */
export type DecideDraft<Definition extends AgentDefinition> = (newest: Versioned<Definition>) => {
  readonly target: VersionTarget
  readonly content: AgentContent<Definition>
} | null

/** Edits of drafts that share their commits with other writes. */
export interface DraftWrites<Definition extends AgentDefinition> {
  /**
   * Decides on the newest version, that of an edit under way included, and writes it if nobody else edited, used or deleted
   * it since. Null when that failed or needs a unit of work; nothing is written then. Throws what `decide` throws.
   */
  write(
    agentId: string,
    read: () => Promise<Versioned<Definition>>,
    decide: DecideDraft<Definition>,
  ): Promise<Versioned<Definition> | null>
}

export function createDraftWrites<Definition extends AgentDefinition>(
  database: Pick<Database, 'batch' | 'compile' | 'capabilities'>,
  store: VersionStore<Definition>,
): DraftWrites<Definition> {
  /** By agent: what the last edit under way makes of it. */
  const underWay = new Map<string, Versioned<Definition>>()
  // Where several connections write, a guard may be checked before the edit that it builds on is committed.
  const isOrdered = database.capabilities.knowsEveryWrite
  return {
    async write(agentId, read, decide) {
      // The next edit builds on this one before it is on the disk: if this one fails, so does the guard of the next.
      const newest = underWay.get(agentId) ?? ((found) => underWay.get(agentId) ?? found)(await read())
      const decision = decide(newest)
      if (decision === null) return null
      const { target, content } = decision
      const edited = editedVersion(newest, target, content)
      const statements = store.draftStatements(database, { ...target, editCount: newest.editCount }, content)
      if (isOrdered) underWay.set(agentId, edited)
      try {
        await database.batch(statements)
        return edited
      } catch (error) {
        if (error instanceof BatchConflictError) return null
        throw error
      } finally {
        if (underWay.get(agentId) === edited) underWay.delete(agentId)
      }
    },
  }
}
