import type { ServerMessage } from '@parley/contract/live'
import type { CallUpdate } from '@parley/engine/voice/call-observer'

/** What shows a call, as the live channel sends it; numbers of counted messages are given where they are kept. */
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
