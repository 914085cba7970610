import type { Voice } from '@parley/contract/voice'
import type { Database } from '../../kernel/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Page, PagePosition, PageRequest } from '../../kernel/paging.ts'
import { BUILT_IN_VOICES, isBuiltInVoiceId } from './built-in-voices.ts'
import { findVoice, listStoredVoices } from './voice-store.ts'

/** The voices of each workspace: the built-in ones and those that it added. */
export interface VoiceCatalogue {
  /** Built-in voices first, then the workspace's own, newest first. */
  list(workspaceId: number, page: PageRequest): Promise<Page<Voice>>
  /** Throws `not_found` for one that the workspace does not have. */
  get(workspaceId: number, voiceId: string): Promise<Voice>
  /** Whether agents of the workspace can speak with the voice. */
  has(workspaceId: number, voiceId: string): Promise<boolean>
}

export function createVoiceCatalogue({ read }: Pick<Database, 'read'>): VoiceCatalogue {
  const find = (workspaceId: number, voiceId: string): Voice | null | Promise<Voice | null> =>
    BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId) ?? findVoice(read, workspaceId, voiceId)

  return {
    async list(workspaceId, { limit, after }) {
      const builtIn = builtInAfter(after)
      const last = builtIn[limit - 1]
      if (last !== undefined && builtIn.length > limit)
        return { items: builtIn.slice(0, limit), next: positionOf(last) }
      const left = limit - builtIn.length
      // Beyond the built-in voices a position among them means the start of the workspace's own.
      const own = after !== null && isBuiltInVoiceId(after.id) ? null : after
      const stored = await listStoredVoices(read, workspaceId, { limit: Math.max(left, 1), after: own })
      if (left > 0) return { items: [...builtIn, ...stored.items], next: stored.next }
      return { items: builtIn, next: last !== undefined && stored.items.length > 0 ? positionOf(last) : null }
    },

    async get(workspaceId, voiceId) {
      const voice = await find(workspaceId, voiceId)
      if (voice === null) throw notFound('voice', voiceId)
      return voice
    },

    has: async (workspaceId, voiceId) => (await find(workspaceId, voiceId)) !== null,
  }
}

/** The built-in voices that come after a position in the list. */
export function builtInAfter(after: PagePosition | null): readonly Voice[] {
  if (after === null) return BUILT_IN_VOICES
  if (!isBuiltInVoiceId(after.id)) return []
  return BUILT_IN_VOICES.filter((voice) => {
    const { at, id } = positionOf(voice)
    return at < after.at || (at === after.at && id < after.id)
  })
}

function positionOf({ voiceId, createdAt }: Voice): PagePosition {
  return { at: Date.parse(createdAt), id: voiceId }
}
