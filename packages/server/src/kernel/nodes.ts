/** The processes of one installation. Embedded, there is only this one. */
export interface Nodes {
  /** This process, from its start to its end. */
  readonly nodeId: string
  /** Whether a node has given a sign of life lately; never longer than a dead node's time to be noticed out of date. */
  isAlive(nodeId: string): Promise<boolean>
  /**
   * Calls `listener` for each node that died, on every node that notices: it takes over what it can claim. The node is
   * forgotten once all listeners of one node have resolved; a rejection is logged and tried again at the next beat.
   */
  onDeath(listener: (nodeId: string) => Promise<void>): void
}
