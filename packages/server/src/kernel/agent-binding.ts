import type { Reader, Transaction } from './database.ts'

/** How other resources (numbers, widgets) point at agents and chat agents; implemented by the agents feature. */
export interface AgentBinding {
  /**
   * Names and versions of the agents that exist in the workspace; those that do not are missing from the answer.
   * `versions` holds only what was asked for and exists.
   */
  findAgents(
    reader: Reader,
    workspaceId: number,
    references: readonly { readonly agentId: string; readonly version: number | null }[],
  ): Promise<ReadonlyMap<string, { readonly name: string; readonly versions: ReadonlySet<number> }>>
  /** Freezes a version, because something names it, together with the engine version it resolves to. */
  freezeVersion(
    transaction: Transaction,
    target: { readonly workspaceId: number; readonly agentId: string; readonly version: number; readonly now: number },
  ): Promise<void>
}
