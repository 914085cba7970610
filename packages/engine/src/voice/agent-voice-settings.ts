import type { Agent } from '@parley/contract/agent'
import type { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { OptionsOf } from '@parley/contract/agent-settings/setting'

/** How an agent sounds and listens in calls, as its version says, with every default filled in. */
export interface AgentVoiceSettings extends OptionsOf<typeof CALL_SETTINGS, Agent> {
  /** Language tag such as `en-US`. */
  readonly language: string
  /** `slow`, `balanced`, `fast` or a decimal from 0 to 1: that of the engine. */
  readonly responsiveness: string
  /** Of the engine: when the caller shall begin and is silent for so long, the agent does; `null`: never. */
  readonly beginAfterUserSilenceMs: number | null
}
