import { channelOf } from '@parley/engine/dialogue/channel'
import type { Conversation } from '@parley/engine/dialogue/conversation'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { JsonObject } from '@parley/engine/ports'
import type { PinnedAgent } from '../../agents/public.ts'
import type { StoredCall } from '../call-responses.ts'

/** What of a live call can be changed from outside. */
export interface CallMemory {
  metadata: JsonObject
  overrideVariables: Readonly<Record<string, string | null>>
}

/** What the engine starts a turn of a call from; state and history are the session's. */
export function toCallConversation(
  call: StoredCall,
  memory: CallMemory,
  {
    agent,
    transcript,
    now,
  }: {
    readonly agent: Pick<PinnedAgent, 'engine' | 'timezone' | 'fallbackModels' | 'fallbackMessage'>
    readonly transcript: readonly JsonObject[]
    readonly now: number
  },
): Omit<Conversation, 'state' | 'history'> {
  const { call_id, agent_id, agent_version, call_type, direction, from_number, to_number } = call
  return {
    engine: agent.engine,
    channel: channelOf(call_type === 'web_call' ? 'web_call' : 'phone_call'),
    variables: {
      system: {
        session_type: 'voice',
        call_id,
        call_type,
        session_duration: describeDuration(Math.max(0, now - (call.started_at ?? now))),
        ...(direction !== null && { direction }),
        ...phoneNumbersOf(direction, from_number, to_number),
      },
      given: JSON.parse(call.given_variables) as Record<string, string>,
      override: memory.overrideVariables,
    },
    timezone: agent.timezone,
    fallbackModels: agent.fallbackModels,
    fallbackMessage: agent.fallbackMessage,
    toolContext: {
      call: { call_id, call_type, agent_id, agent_version, metadata: memory.metadata, transcript },
    },
    metadata: memory.metadata,
    conversationId: call_id,
  }
}

/** Who is the user and who the agent depends on who called. */
function phoneNumbersOf(direction: string | null, from: string | null, to: string | null): Record<string, string> {
  const [user, agent] = direction === 'outbound' ? [to, from] : [from, to]
  return { ...(user !== null && { user_number: user }), ...(agent !== null && { agent_number: agent }) }
}
