import { LIVE_PROTOCOL, type ServerMessage } from '@parley/contract/live'
import type { LegRateHz } from '@parley/engine/audio/frame'
import type { CallUpdate } from '@parley/engine/voice/call-observer'
import type { StartedCall } from '../../features/calls/public.ts'

export type MessageOf<Type extends ServerMessage['type']> = Extract<ServerMessage, { readonly type: Type }>

/** Converts an update to a message of the live channel; `MessageFeed` assigns its number. */
export function toServerMessage(update: CallUpdate): ServerMessage {
  switch (update.type) {
    case 'activity':
      return { type: 'state', agent: update.agent, user: update.user }
    case 'agent-change': {
      const { agentName, language } = update
      return { type: 'agent', agentName, language, seq: 0 }
    }
    case 'tool-start':
      return { type: 'tool', name: update.name, phase: 'started', seq: 0 }
    case 'tool-end':
      return { type: 'tool', name: update.name, phase: 'ended', seq: 0 }
    case 'turn-latency':
      return { type: 'latency', turnId: update.turnId, latency: update.latency, seq: 0 }
    case 'end':
      return { type: 'ended', reason: update.reason }
    case 'caption':
    case 'node-transition':
    case 'warning':
      return { ...update, seq: 0 }
  }
}

/** Builds the `joined` message of a caller, or of a listener with an empty resume token. */
export function joinedMessage(
  call: StartedCall,
  about: { readonly rateHz: LegRateHz; readonly nowMs: number; readonly resumeToken: string },
  { listening, received }: Pick<MessageOf<'joined'>, 'listening' | 'received'>,
): MessageOf<'joined'> {
  const { callId, agentName, language, recognition, standIns, startedAtMs } = call
  const { rateHz, nowMs, resumeToken } = about
  const elapsedMs = Math.max(0, nowMs - startedAtMs)
  const facts = { callId, agentName, language, recognition, standIns, rateHz, elapsedMs }
  return { type: 'joined', protocol: LIVE_PROTOCOL, ...facts, resumeToken, listening, received }
}
