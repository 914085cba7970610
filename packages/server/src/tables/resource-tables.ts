import type { Flag, Json, Milliseconds } from './columns.ts'

/** One row per versioned resource of any kind. The versions contain the definition. */
export interface ResourceRow {
  resource_id: string
  /** llm, conversation-flow, agent or chat-agent. */
  kind: string
  workspace_id: number
  newest_version: number
  /** Set by activation; null means the highest published version, otherwise the latest version. */
  active_version: number | null
  /** Number of edits, used as the ETag. */
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface ResourceVersionRow {
  resource_id: string
  version: number
  /** The contract object without derived fields. */
  definition: Json
  /** The response engine of an agent, for lookups. */
  engine_id: string | null
  /** The engine version pinned by a caller or resolved when this version was frozen. */
  engine_version: number | null
  /** 1 if a caller set response_engine.version. */
  engine_pinned: Flag
  frozen_at: Milliseconds | null
  published_at: Milliseconds | null
  version_title: string | null
  version_description: string | null
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface ResourceTables {
  resources: ResourceRow
  resource_versions: ResourceVersionRow
}

/** A part of a flow graph shared by flows of a workspace. */
export interface FlowComponentRow {
  flow_component_id: string
  workspace_id: number
  /** The contract object without ids and times. */
  definition: Json
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** A permanent copy of a shared component for a frozen version of a flow. */
interface FlowVersionComponentRow {
  /** The flow. */
  resource_id: string
  version: number
  flow_component_id: string
  /** The part of the component's definition that conversations run. */
  definition: Json
}

export interface FlowComponentTables {
  flow_components: FlowComponentRow
  flow_version_components: FlowVersionComponentRow
}

/** A simulated conversation with one response engine. */
export interface TestCaseRow {
  test_case_id: string
  workspace_id: number
  name: string
  /** llm or conversation-flow */
  engine_kind: string
  engine_id: string
  /** Null means the engine's latest version. */
  engine_version: number | null
  /** The contract object without ids, name, engine and times. */
  definition: Json
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface TestCaseTables {
  test_cases: TestCaseRow
}

/** A vendor's voice that a workspace added. */
export interface VoiceRow {
  voice_id: string
  workspace_id: number
  /** elevenlabs or cartesia */
  provider: string
  /** Id in the vendor's community; unique in a workspace. */
  provider_voice_id: string
  /** Id in the vendor account, used to request speech. */
  account_voice_id: string
  /** The voice's owner in the community; null at vendors without owners. */
  public_user_id: string | null
  name: string
  gender: string | null
  language: string | null
  accent: string | null
  description: string
  preview_url: string | null
  /** URL of a sample that replaces the preview. */
  playback_override_url: string | null
  tags: Json
  created_at: Milliseconds
  updated_at: Milliseconds
}

export interface VoiceTables {
  voices: VoiceRow
}

/** A phone number of a workspace. */
export interface PhoneNumberRow {
  /** Starts at 1. Ids are never reused. */
  number_id: number
  workspace_id: number
  /** Dialable form: E.164 or an extension. */
  number: string
  /** The digits of the number: unique in an account, and verified by at most one account. */
  base_number: string
  /** carrier, operator or earlier; null while the number is not verified. */
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
  /** Encrypted user name and password for the carrier. */
  credentials: string | null
  /** Reason why the carrier sends no calls; null if it sends calls. */
  import_error: string | null
  edit_count: number
  created_at: Milliseconds
  updated_at: Milliseconds
}

/** An agent that answers a number or makes calls from it. */
export interface NumberAgentRow {
  number_id: number
  /** inbound or outbound */
  direction: string
  /** Position in the caller's list, from 0. */
  position: number
  agent_id: string
  /** Null means the active version. */
  agent_version: number | null
  weight: number
}

/** A single row with the last assigned number id. */
interface NumberCounterRow {
  counter_id: number
  last_number_id: number
}

export interface NumberTables {
  phone_numbers: PhoneNumberRow
  number_agents: NumberAgentRow
  number_counter: NumberCounterRow
}
