import type { VersionSelector } from '@parley/contract/fields'
import type { Reader, Transaction } from '../../kernel/storage/database.ts'
import type { VersionTarget } from '../../kernel/versions/version-store.ts'

/** Kinds of response engine that are resources of ours. */
export type StoredEngineKind = 'llm' | 'conversation-flow'

/** How others look up and freeze engines of one kind; implemented by the LLM and the flow feature. */
export interface EngineSource<Definition = unknown> {
  /** `null` when the engine or the version does not exist in the workspace. */
  find(
    reader: Reader,
    workspaceId: number,
    engineId: string,
    selector: VersionSelector,
  ): Promise<{ readonly id: string; readonly version: number; readonly definition: Definition } | null>
  /** Freezes a version because something uses it; does nothing to a frozen one. */
  freeze(transaction: Transaction, target: VersionTarget): Promise<void>
}

/** What stands on an engine and would break without it. */
export interface EngineUsers {
  usersOf(
    reader: Reader,
    workspaceId: number,
    engineId: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>
}

/** Lets agents follow a new version of their engine. */
export interface AgentFollowers {
  /** Makes the next version of every agent that follows; answers the names of those that stay, for a warning. */
  follow(
    transaction: Transaction,
    change: { readonly workspaceId: number; readonly engineId: string; readonly now: number },
  ): Promise<readonly string[]>
}
