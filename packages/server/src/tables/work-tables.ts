import type { Json, Milliseconds } from './columns.ts'

export interface JobRow {
  job_id: string
  kind: string
  /** 0 for work of the whole installation. */
  workspace_id: number
  payload: Json
  /** pending, running, done or failed */
  status: string
  run_at: Milliseconds
  attempts: number
  max_attempts: number
  /** Owner and end of the lease while the job is running. */
  leased_by: string | null
  lease_until: Milliseconds | null
  last_error: string | null
  created_at: Milliseconds
  ended_at: Milliseconds | null
}

/** A concurrency slot of a workspace, held by a live call. */
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
  /** Null while the request is running. */
  status: number | null
  /** Encrypted headers and body of the response, with the rights of the credential that received it. */
  answer: string | null
  /** The request counts as running until this time. Afterwards, a crash is assumed and the key can be reused. */
  lease_until: Milliseconds
  created_at: Milliseconds
}

/** Identity of this installation: its id and the fingerprint of its secret key. */
export interface InstallationRow {
  name: string
  value: string
}

/** A process of the installation. */
export interface NodeRow {
  node_id: string
  started_at: Milliseconds
  /** Time of the latest heartbeat. */
  seen_at: Milliseconds
}

export interface WorkTables {
  installation: InstallationRow
  nodes: NodeRow
  jobs: JobRow
  leases: LeaseRow
  idempotency_keys: IdempotencyKeyRow
}
