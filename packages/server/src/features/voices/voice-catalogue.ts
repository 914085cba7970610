import type { Voice } from '@parley/contract/voice'
import type { Page, PagePosition, PageRequest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { BUILT_IN_VOICES, builtInName, isBuiltInVoiceId } from './built-in-voices.ts'
import type { ProvidedVoice, ProvidedVoices } from './voice-ports.ts'
import { findAccountVoice, findVoice, listStoredVoices } from './voice-store.ts'
import type { VoiceToSpeak } from './voice-to-speak.ts'

/** When the voices of providers joined the catalogue, the same on every installation: behind the built-in ones. */
const PROVIDED_SINCE = '2026-04-19T00:00:00.000Z'

/** Providers whose voices need not be added. No id that is made ever looks so. */
const PROVIDED_ID = /^voice_(openai|speech)_([\w-]{1,100})$/

/** The voices of each workspace: the built-in ones, those of its connected providers, and those that it added. */
export interface VoiceCatalogue {
  /** Built-in voices first, then those of connected providers, then the workspace's own, newest first. */
  list(workspaceId: number, page: PageRequest): Promise<Page<Voice>>
  /** Throws `not_found` for one that the workspace does not have. */
  get(workspaceId: number, voiceId: string): Promise<Voice>
  /** Whether agents of the workspace can speak with the voice. */
  has(workspaceId: number, voiceId: string): Promise<boolean>
  /** Whether voices of this provider are listed for the workspace now. */
  hasVoicesOf(workspaceId: number, provider: VoiceToSpeak['provider']): Promise<boolean>
  /**
   * How to speak with a voice; `null` for one that the workspace does not have. A provider's own voice is answered also when
   * the provider is not connected any more.
   */
  findSpeaker(workspaceId: number, voiceId: string): Promise<VoiceToSpeak | null>
}

const NO_PROVIDERS: ProvidedVoices = { voicesFor: async () => [] }

export function createVoiceCatalogue(
  { read }: Pick<Database, 'read'>,
  providers: ProvidedVoices = NO_PROVIDERS,
): VoiceCatalogue {
  const provided = async (workspaceId: number): Promise<readonly Voice[]> =>
    toCatalogueVoices(await providers.voicesFor(workspaceId))

  async function find(workspaceId: number, voiceId: string): Promise<Voice | null> {
    const builtIn = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
    if (builtIn !== undefined) return builtIn
    if (!isProvidedVoiceId(voiceId)) return await findVoice(read, workspaceId, voiceId)
    return (await provided(workspaceId)).find((voice) => voice.voiceId === voiceId) ?? null
  }

  return {
    async list(workspaceId, { limit, after }) {
      const isAmongFixed = after === null || isFixedVoiceId(after.id)
      const fixed = isAmongFixed ? fixedAfter([...BUILT_IN_VOICES, ...(await provided(workspaceId))], after) : []
      const last = fixed[limit - 1]
      if (last !== undefined && fixed.length > limit) return { items: fixed.slice(0, limit), next: positionOf(last) }
      const left = limit - fixed.length
      // Beyond the fixed voices a position among them means the start of the workspace's own.
      const own = isAmongFixed ? null : after
      const stored = await listStoredVoices(read, workspaceId, { limit: Math.max(left, 1), after: own })
      if (left > 0) return { items: [...fixed, ...stored.items], next: stored.next }
      return { items: fixed, next: last !== undefined && stored.items.length > 0 ? positionOf(last) : null }
    },

    async get(workspaceId, voiceId) {
      const voice = await find(workspaceId, voiceId)
      if (voice === null) throw notFound('voice', voiceId)
      return voice
    },

    has: async (workspaceId, voiceId) => (await find(workspaceId, voiceId)) !== null,

    hasVoicesOf: async (workspaceId, provider) =>
      (await provided(workspaceId)).some((voice) => voice.provider === provider),

    async findSpeaker(workspaceId, voiceId) {
      const builtIn = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
      if (builtIn !== undefined) {
        return { provider: builtIn.provider, providerVoice: builtInName(voiceId), gender: builtIn.gender }
      }
      const named = readProvidedVoiceId(voiceId)
      if (named === null) return await findAccountVoice(read, workspaceId, voiceId)
      const found = await find(workspaceId, voiceId)
      return { ...named, gender: found?.gender ?? null }
    },
  }
}

/** Whether the voice is one that nobody added. */
function isFixedVoiceId(voiceId: string): boolean {
  return isBuiltInVoiceId(voiceId) || isProvidedVoiceId(voiceId)
}

/** The voices that come after a position in the list. Those of a page before may be gone. */
export function fixedAfter(voices: readonly Voice[], after: PagePosition | null): readonly Voice[] {
  if (after === null) return voices
  return voices.filter((voice) => {
    const { at, id } = positionOf(voice)
    return at < after.at || (at === after.at && id < after.id)
  })
}

function positionOf({ voiceId, createdAt }: Voice): PagePosition {
  return { at: Date.parse(createdAt), id: voiceId }
}

/** Whether an id is that of a voice of a provider, connected now or not. */
function isProvidedVoiceId(voiceId: string): boolean {
  return PROVIDED_ID.test(voiceId)
}

/** What a provider would be asked to speak with: also where it is not connected any more, so that it can be said. */
function readProvidedVoiceId(voiceId: string): Pick<VoiceToSpeak, 'provider' | 'providerVoice'> | null {
  const [, provider = '', providerVoice = ''] = PROVIDED_ID.exec(voiceId) ?? []
  return provider === '' ? null : { provider, providerVoice }
}

/** Voices as the catalogue tells them, newest first, ties by id. */
function toCatalogueVoices(voices: readonly ProvidedVoice[]): readonly Voice[] {
  return voices
    .map(({ provider, name, gender, description }) => ({
      voiceId: `voice_${provider}_${name}`,
      name: name.charAt(0).toUpperCase() + name.slice(1),
      gender,
      // They speak the language of what they are given.
      language: null,
      accent: null,
      description,
      provider,
      previewUrl: null,
      playbackOverrideUrl: null,
      tags: ['multilingual'],
      createdAt: PROVIDED_SINCE,
      updatedAt: PROVIDED_SINCE,
    }))
    .filter(({ voiceId }) => PROVIDED_ID.test(voiceId))
    .sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))
}
