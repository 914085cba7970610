import type { Voice } from '@parley/contract/voice'
import { type Page, type PageRequest, toPage } from '../../kernel/paging.ts'
import { BUILT_IN_VOICES } from './built-in-voices.ts'

export interface VoiceService {
  /** The catalogue of a workspace, newest first. */
  list(workspaceId: number, page: PageRequest): Promise<Page<Voice>>
  /** Whether agents of the workspace can speak with the voice. */
  has(workspaceId: number, voiceId: string): Promise<boolean>
}

export function createVoiceService(): VoiceService {
  const voices = BUILT_IN_VOICES.map((voice) => ({ voice, at: Date.parse(voice.createdAt), id: voice.voiceId }))
  voices.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  const ids = new Set(BUILT_IN_VOICES.map(({ voiceId }) => voiceId))

  return {
    async list(_workspaceId, { limit, after }) {
      const rest = voices.filter(({ at, id }) => after === null || at < after.at || (at === after.at && id < after.id))
      return toPage(
        rest,
        limit,
        ({ voice }) => voice,
        ({ at, id }) => ({ at, id }),
      )
    },
    has: async (_workspaceId, voiceId) => ids.has(voiceId),
  }
}
