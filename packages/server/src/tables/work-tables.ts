import type { Json, Milliseconds } from './columns.ts'

export interface JobRow {
  job_id: string
  kind: string
  /** 0 for the installation's own work. */
  workspace_id: number
  payload: Json
  /** pending, running, done or failed */
  status: string
  run_at: Milliseconds
  attempts: number
  max_attempts: number
  /** Owner and end of the lease while running. */
  leased_by: string | null
  lease_until: Milliseconds | null
  last_error: string | null
  created_at: Milliseconds
  ended_at: Milliseconds | null
}

/** A slot of a workspace's concurrency held by a live call. */
export interface LeaseRow {
  lease_id: string
  workspace_id: number
  holder: string
  expires_at: Milliseconds
  created_at: Milliseconds
}

export interface IdempotencyKeyRow {
  /** SHA-256 of user, method, path, workspace, context headers and key. */
  key_hash: string
  body_hash: string
  /** Null while in flight. */
  status: number | null
  /** Encrypted headers and body of the answer, with the rights of the credential that got it. */
  answer: string | null
  /** In flight until then; afterwards a crash is assumed and the key may be taken over. */
  lease_until: Milliseconds
  created_at: Milliseconds
}

/** What tells this installation from others: its id, the fingerprint of its secret key. */
export interface InstallationRow {
  name: string
  value: string
}

/** A process of the installation. */
export interface NodeRow {
  node_id: string
  started_at: Milliseconds
  /** Its last heart-beat. */
  seen_at: Milliseconds
}

export interface WorkTables {
  installation: InstallationRow
  nodes: NodeRow
  jobs: JobRow
  leases: LeaseRow
  idempotency_keys: IdempotencyKeyRow
}
