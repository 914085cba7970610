import type { BatchStatement, Transaction } from '../storage/database.ts'

/** The nodes (processes) of one installation. An embedded installation has one node. */
export interface Nodes {
  /** Id of this node for the lifetime of the process. */
  readonly nodeId: string
  /**
   * Whether a node sent a heartbeat recently. The result can lag behind by the time it takes to detect a crashed node.
   */
  isAlive(nodeId: string): Promise<boolean>
  /**
   * Calls `listener` on every node that detects a crashed node. The crashed node is removed once all listeners resolve.
   * Rejections are logged and retried at the next heartbeat.
   */
  onNodeCrash(listener: (nodeId: string) => Promise<void>): void
}

/** Workspace concurrency slots, one per live call of this node. */
export interface Leases {
  /**
   * Takes a slot, or returns false if none is free. Repeating the call is harmless. A slot held by another node moves
   * to this node.
   */
  acquire(workspaceId: number, leaseId: string): Promise<boolean>
  /** Frees the slot if this node holds it. Retries if the database is unavailable. */
  release(leaseId: string): Promise<void>
  /** Calls `listener` if this node loses a lease because its heartbeats stopped for too long. */
  onLost(listener: (leaseId: string) => void): void
}

/** A slot reserved for a call that starts soon. */
export interface LeaseReservation {
  readonly workspaceId: number
  readonly leaseId: string
  /** Time until the reservation expires. */
  readonly durationMs: number
}

/**
 * Slots reserved before a node holds them. Taking a lease with the same name uses the slot. Unused reservations expire.
 */
export interface LeaseReservations {
  /**
   * Reserves a slot in the transaction that creates the call, or returns false if none is free. Locks the workspace's
   * slots, so `read-committed` is sufficient.
   */
  reserve(transaction: Transaction, reservation: LeaseReservation): Promise<boolean>
  /** Builds a statement that frees the reservation unless a node holds it. */
  buildCancelStatement(leaseId: string): BatchStatement
}
