import { CONVERSATION_SETTINGS, POST_CONVERSATION_SETTINGS, WEBHOOK_SETTINGS } from './conversation-settings.ts'
import { CALL_OUTCOME_SETTINGS, CHAT_OUTCOME_SETTINGS } from './outcome-settings.ts'
import { VOICE_ID_SETTING, VOICE_SETTINGS } from './voice-settings.ts'

/** Settings that all agents share. */
export const SHARED_SETTINGS = { ...CONVERSATION_SETTINGS, ...POST_CONVERSATION_SETTINGS, ...WEBHOOK_SETTINGS } as const

/** Settings that only agents with a voice have. */
export const CALL_SETTINGS = { ...VOICE_ID_SETTING, ...VOICE_SETTINGS } as const

/** All settings of an agent with a voice. The engine is a separate resource, not a setting. */
export const AGENT_SETTINGS = { ...SHARED_SETTINGS, ...CALL_SETTINGS, ...CALL_OUTCOME_SETTINGS } as const

/** All settings of a chat agent. */
export const CHAT_AGENT_SETTINGS = { ...SHARED_SETTINGS, ...CHAT_OUTCOME_SETTINGS } as const
