import type { Reader } from '../../kernel/storage/database.ts'
import { findAgentsWithVoice } from './agent-store.ts'

/** Who would be without a voice if one went away. */
export interface VoiceUsers {
  /** The agents whose newest or active version speaks with it. */
  voiceUsers(
    reader: Reader,
    workspaceId: number,
    voiceId: string,
  ): Promise<readonly { readonly id: string; readonly name: string }[]>
}

export function createVoiceUsers(): VoiceUsers {
  return { voiceUsers: findAgentsWithVoice }
}
