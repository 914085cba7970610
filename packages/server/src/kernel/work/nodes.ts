import type { BatchStatement, Transaction } from '../storage/database.ts'

/** The processes of one installation; a single one when embedded. */
export interface Nodes {
  /** Id of this process for its lifetime. */
  readonly nodeId: string
  /** Whether a node sent a heartbeat recently; stale by at most the time to detect a dead node. */
  isAlive(nodeId: string): Promise<boolean>
  /**
   * Calls `listener` on every node that detects a dead one. The dead node is forgotten once all listeners resolve;
   * rejections are logged and retried at the next heartbeat.
   */
  onDeath(listener: (nodeId: string) => Promise<void>): void
}

/** Concurrency slots of a workspace, one per live call of this node. */
export interface Leases {
  /** Takes a slot; false when none is free. Repeating it is harmless; a slot of another node moves to this one. */
  take(workspaceId: number, leaseId: string): Promise<boolean>
  /** Frees the slot if held; retries when the database is unavailable. */
  release(leaseId: string): Promise<void>
  /** Calls `listener` when this node lost a lease after being silent for too long. */
  onLost(listener: (leaseId: string) => void): void
}

/** A slot for a call that starts soon. */
export interface LeaseReservation {
  readonly workspaceId: number
  readonly leaseId: string
  /** How long the slot is reserved. */
  readonly durationMs: number
}

/** Slots that no node holds yet. Taking a lease of the same name uses the slot; unused ones expire. */
export interface LeaseReservations {
  /**
   * Reserves a slot in the transaction that creates the call; false when none is free. Locks the workspace's slots,
   * so `read-committed` suffices.
   */
  reserve(transaction: Transaction, reservation: LeaseReservation): Promise<boolean>
  /** Frees the reservation unless a node holds it. */
  cancel(leaseId: string): BatchStatement
}
