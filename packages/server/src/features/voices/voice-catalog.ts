import type { Voice } from '@parley/contract/voice'
import type { Page, PagePosition, PageRequest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { BUILT_IN_VOICES, builtInName, isBuiltInVoiceId } from './built-in-voices.ts'
import type { ResolvedVoice } from './resolved-voice.ts'
import type { VendorVoice, VendorVoices } from './voice-ports.ts'
import { findAccountVoice, findVoice, listStoredVoices } from './voice-store.ts'

/** When the voices of providers joined the catalogue, the same on every installation: behind the built-in ones. */
const VENDOR_VOICES_ADDED_AT = '2026-04-19T00:00:00.000Z'

/** Providers whose voices need not be added. No id that is made ever looks so. */
const VENDOR_VOICE_ID = /^voice_(openai|speech)_([\w-]{1,100})$/

/** The voices of each workspace: the built-in ones, those of its connected providers, and those that it added. */
export interface VoiceCatalog {
  /** Built-in voices first, then those of connected providers, then the workspace's own, newest first. */
  list(workspaceId: number, page: PageRequest): Promise<Page<Voice>>
  /** Throws `not_found` for one that the workspace does not have. */
  get(workspaceId: number, voiceId: string): Promise<Voice>
  /** Whether agents of the workspace can speak with the voice. */
  has(workspaceId: number, voiceId: string): Promise<boolean>
  /** Whether voices of this provider are listed for the workspace now. */
  hasVendorVoices(workspaceId: number, provider: ResolvedVoice['provider']): Promise<boolean>
  /**
   * How to speak with a voice; `null` for one that the workspace does not have. A provider's own voice is answered also when
   * the provider is not connected any more.
   */
  resolveVoice(workspaceId: number, voiceId: string): Promise<ResolvedVoice | null>
}

const NO_VENDORS: VendorVoices = { voicesFor: async () => [] }

export function createVoiceCatalog(
  { read }: Pick<Database, 'read'>,
  providers: VendorVoices = NO_VENDORS,
): VoiceCatalog {
  const vendorVoices = async (workspaceId: number): Promise<readonly Voice[]> =>
    toCatalogVoices(await providers.voicesFor(workspaceId))

  async function find(workspaceId: number, voiceId: string): Promise<Voice | null> {
    const builtIn = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
    if (builtIn !== undefined) return builtIn
    if (!isVendorVoiceId(voiceId)) return await findVoice(read, workspaceId, voiceId)
    return (await vendorVoices(workspaceId)).find((voice) => voice.voiceId === voiceId) ?? null
  }

  return {
    async list(workspaceId, { limit, after }) {
      const startsInSharedVoices = after === null || isSharedVoiceId(after.id)
      const sharedVoices = startsInSharedVoices
        ? sharedVoicesAfter([...BUILT_IN_VOICES, ...(await vendorVoices(workspaceId))], after)
        : []
      const last = sharedVoices[limit - 1]
      if (last !== undefined && sharedVoices.length > limit)
        return { items: sharedVoices.slice(0, limit), next: positionOf(last) }
      const left = limit - sharedVoices.length
      // Beyond the fixed voices a position among them means the start of the workspace's own.
      const own = startsInSharedVoices ? null : after
      const stored = await listStoredVoices(read, workspaceId, { limit: Math.max(left, 1), after: own })
      if (left > 0) return { items: [...sharedVoices, ...stored.items], next: stored.next }
      return { items: sharedVoices, next: last !== undefined && stored.items.length > 0 ? positionOf(last) : null }
    },

    async get(workspaceId, voiceId) {
      const voice = await find(workspaceId, voiceId)
      if (voice === null) throw notFound('voice', voiceId)
      return voice
    },

    has: async (workspaceId, voiceId) => (await find(workspaceId, voiceId)) !== null,

    hasVendorVoices: async (workspaceId, provider) =>
      (await vendorVoices(workspaceId)).some((voice) => voice.provider === provider),

    async resolveVoice(workspaceId, voiceId) {
      const builtIn = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
      if (builtIn !== undefined) {
        return { provider: builtIn.provider, vendorVoice: builtInName(voiceId), gender: builtIn.gender }
      }
      const named = parseVendorVoiceId(voiceId)
      if (named === null) return await findAccountVoice(read, workspaceId, voiceId)
      const found = await find(workspaceId, voiceId)
      return { ...named, gender: found?.gender ?? null }
    },
  }
}

/** Whether the voice is one that nobody added. */
function isSharedVoiceId(voiceId: string): boolean {
  return isBuiltInVoiceId(voiceId) || isVendorVoiceId(voiceId)
}

/** The voices that come after a position in the list. Those of a page before may be gone. */
export function sharedVoicesAfter(voices: readonly Voice[], after: PagePosition | null): readonly Voice[] {
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
function isVendorVoiceId(voiceId: string): boolean {
  return VENDOR_VOICE_ID.test(voiceId)
}

/** What a provider would be asked to speak with: also where it is not connected any more, so that it can be said. */
function parseVendorVoiceId(voiceId: string): Pick<ResolvedVoice, 'provider' | 'vendorVoice'> | null {
  const [, provider = '', vendorVoice = ''] = VENDOR_VOICE_ID.exec(voiceId) ?? []
  return provider === '' ? null : { provider, vendorVoice }
}

/** Voices as the catalogue tells them, newest first, ties by id. */
function toCatalogVoices(voices: readonly VendorVoice[]): readonly Voice[] {
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
      createdAt: VENDOR_VOICES_ADDED_AT,
      updatedAt: VENDOR_VOICES_ADDED_AT,
    }))
    .filter(({ voiceId }) => VENDOR_VOICE_ID.test(voiceId))
    .sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))
}
