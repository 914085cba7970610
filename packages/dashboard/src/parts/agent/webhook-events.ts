import type { Agent } from '@parley/contract/agent'

type EventName = Agent['webhook_events'][number]

/** What the own address of an agent can be told of: of chats, and of calls where the agent speaks. */
export const CHAT_EVENTS = [
  'chat_started',
  'chat_ended',
  'chat_analyzed',
  'transcript_updated',
] as const satisfies readonly EventName[]

export const VOICE_EVENTS = ['call_started', 'call_ended', 'call_analyzed', ...CHAT_EVENTS] as const

export const isChatEvent = (name: unknown): name is (typeof CHAT_EVENTS)[number] =>
  (CHAT_EVENTS as readonly unknown[]).includes(name)

export const isVoiceEvent = (name: unknown): name is (typeof VOICE_EVENTS)[number] =>
  (VOICE_EVENTS as readonly unknown[]).includes(name)
