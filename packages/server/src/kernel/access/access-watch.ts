import type { Actor } from './actor.ts'

/** Why a connection lost its access: its credential is gone, or no longer allows what the connection is for. */
export type AccessLoss = 'unauthorized' | 'forbidden'

/** A connection that stays open longer than one request. */
export interface WatchedConnection {
  /** Id of the API token or session that opened it. */
  readonly credentialId: string
  /** Whether the credential still allows the connection. */
  isAllowed(actor: Actor): boolean | Promise<boolean>
  /** Called once; the connection is no longer watched then. */
  onLost(loss: AccessLoss): void
}

/** Closes open connections whose access ends: within 5 seconds on every node, at once where the change is announced. */
export interface AccessWatch {
  /** The current actor of a credential; `null` when it is revoked, expired or unknown. Reads the database. */
  actorOf(credentialId: string): Promise<Actor | null>
  /** Watches a connection until it loses its access or the returned function is called. */
  watch(connection: WatchedConnection): () => void
}
