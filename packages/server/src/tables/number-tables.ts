import type { Flag, Json, Milliseconds } from './columns.ts'

/** A phone number; its account is that of its workspace. */
export interface PhoneNumberRow {
  /** Counted from 1, never used again. */
  number_id: number
  workspace_id: number
  /** As it is answered: E.164 or an extension. */
  number: string
  /** Its digits. An account has a number once; one account at most has it verified. */
  base_number: string
  /** carrier, operator or earlier; null while it is not verified. */
  verified_by: string | null
  /** loopback, twilio, telnyx, jambonz or sip */
  provider: string
  nickname: string | null
  default_agent_id: string | null
  application_sid: string
  phone_number_sid: string
  inbound_webhook_url: string | null
  is_time_routing_enabled: Flag
  time_routing: Json | null
  sticky: Flag
  fallback_number: string | null
  termination_uri: string | null
  /** Sealed user name and password for the carrier. */
  credentials: string | null
  /** Why the carrier does not send calls; null when it does. */
  import_error: string | null
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** An agent that answers a number or calls from it. */
export interface NumberAgentRow {
  number_id: number
  /** inbound or outbound */
  direction: string
  /** Order of the caller's list, from 0. */
  position: number
  agent_id: string
  /** Null follows the active version. */
  agent_version: number | null
  weight: number
}

/** One row: the last id that was given to a number. */
export interface NumberCounterRow {
  counter_id: number
  last_number_id: number
}

export interface NumberTables {
  phone_numbers: PhoneNumberRow
  number_agents: NumberAgentRow
  number_counter: NumberCounterRow
}
