import type { Agent } from '@parley/contract/agent'
import type { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'

/** Voice settings of an agent version, with all defaults filled in. */
export interface AgentVoiceSettings extends OptionsOf<typeof CALL_SETTINGS, Agent> {
  /** Language tag such as `en-US`. */
  readonly language: string
  /** Responsiveness of the engine: `slow`, `balanced`, `fast` or a decimal from 0 to 1. */
  readonly responsiveness: string
  /** The agent speaks first after this much silence when the user should start; `null` for never. */
  readonly beginAfterUserSilenceMs: number | null
}
