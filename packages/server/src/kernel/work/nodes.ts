import type { BatchStatement, Transaction } from '../storage/database.ts'

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

/** Slots of a workspace's concurrency, each held by one live call of this node. */
export interface Leases {
  /**
   * Takes a slot; false when the workspace has none left. Held until released or until this node dies. Asking again for a
   * lease that is held changes nothing; one that another node holds comes over to this one.
   */
  take(workspaceId: number, leaseId: string): Promise<boolean>
  /** Gives the slot back; nothing happens when it is not held. Should the database be away, it is given back later. */
  release(leaseId: string): Promise<void>
  /** Calls `listener` when a lease of this node is no longer its own: it was silent for too long, and others may have the slot. */
  onLost(listener: (leaseId: string) => void): void
}

/** A slot for a call that is to begin soon. */
export interface LeaseReservation {
  readonly workspaceId: number
  readonly leaseId: string
  /** How long the slot is kept. */
  readonly durationMs: number
}

/** Slots that no node holds yet: whoever takes a lease of that name gets its slot. They lapse by themselves. */
export interface LeaseReservations {
  /**
   * Keeps a slot in the unit of work that makes the call; false when the workspace has none left. Locks the slots of the
   * workspace until the unit of work ends, so `read-committed` is enough for it.
   */
  reserve(transaction: Transaction, reservation: LeaseReservation): Promise<boolean>
  /** Gives the slot back; nothing happens when a node holds it by now. */
  cancel(leaseId: string): BatchStatement
}
