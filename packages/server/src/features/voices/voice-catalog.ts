import type { Voice } from '@parley/contract/voice'
import type { Page, PagePosition, PageRequest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { ResolvedVoice, VendorVoice, VendorVoices } from './voice-ports.ts'
import { findAccountVoice, findVoice, listStoredVoices } from './voice-store.ts'

/** Creation time of the built-in voices, equal on every installation. */
const ADDED_AT = '2026-04-20T00:00:00.000Z'

type BuiltInVoice = Pick<Voice, 'voiceId' | 'name' | 'gender' | 'language' | 'accent' | 'description'>

/** Generated ids never have this prefix. */
const ID_PREFIX = 'voice_builtin_'

/** Whether an id belongs to a built-in voice of any version. */
export function isBuiltInVoiceId(voiceId: string): boolean {
  return voiceId.startsWith(ID_PREFIX)
}

/** Returns the synthesizer's name of a built-in voice. */
function getBuiltInName(voiceId: string): string {
  return voiceId.slice(ID_PREFIX.length)
}

/** The English voices of the built-in synthesizer: small, fast and audibly synthetic. */
const VOICES: readonly BuiltInVoice[] = [
  {
    voiceId: 'voice_builtin_slt',
    name: 'Slt',
    gender: 'female',
    language: 'en-US',
    accent: 'American',
    description: 'Clear American woman. Built in: responds at once without a provider, sounds synthetic.',
  },
  {
    voiceId: 'voice_builtin_rms',
    name: 'Rms',
    gender: 'male',
    language: 'en-US',
    accent: 'American',
    description: 'Calm American man. Built in: responds at once without a provider, sounds synthetic.',
  },
  {
    voiceId: 'voice_builtin_kal',
    name: 'Kal',
    gender: 'male',
    language: 'en-US',
    accent: 'American',
    description: 'The smallest and most robotic of the built-in voices: an American man, for tests.',
  },
  {
    voiceId: 'voice_builtin_awb',
    name: 'Awb',
    gender: 'male',
    language: 'en-GB',
    accent: 'Scottish',
    description: 'Scottish man who reads with American pronunciation rules. Built in, sounds synthetic.',
  },
]

/** Built-in voices of every workspace, newest first, then by id. None has a sample yet. */
export const BUILT_IN_VOICES: readonly Voice[] = VOICES.map((voice) => ({
  ...voice,
  provider: 'builtin',
  previewUrl: null,
  playbackOverrideUrl: null,
  tags: ['built-in', 'english'],
  createdAt: ADDED_AT,
  updatedAt: ADDED_AT,
})).sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))

/** Creation time of vendor voices, equal on every installation and before the built-in voices. */
const VENDOR_VOICES_ADDED_AT = '2026-04-19T00:00:00.000Z'

/** Ids of vendor voices that need not be added. Generated ids never match. */
const VENDOR_VOICE_ID = /^voice_(openai|speech)_([\w-]{1,100})$/

/** The voices of each workspace: built-in voices, voices of connected vendors, and added voices. */
export interface VoiceCatalog {
  /** Lists built-in voices first, then those of connected vendors, then added voices, newest first. */
  list(workspaceId: number, page: PageRequest): Promise<Page<Voice>>
  /** Returns a voice. Throws `not_found` if the workspace does not have the voice. */
  get(workspaceId: number, voiceId: string): Promise<Voice>
  /** Whether agents of the workspace can use the voice. */
  has(workspaceId: number, voiceId: string): Promise<boolean>
  /** Whether the workspace's list currently includes voices of this vendor. */
  hasVendorVoices(workspaceId: number, provider: ResolvedVoice['provider']): Promise<boolean>
  /**
   * Returns how to synthesize a voice, or null if the workspace does not have the voice. Also returns a vendor's voice after
   * the vendor was disconnected.
   */
  resolveVoice(workspaceId: number, voiceId: string): Promise<ResolvedVoice | null>
}

const NO_VENDORS: VendorVoices = { listVoices: async () => [] }

export function createVoiceCatalog(
  { read }: Pick<Database, 'read'>,
  providers: VendorVoices = NO_VENDORS,
): VoiceCatalog {
  const readVendorVoices = async (workspaceId: number): Promise<readonly Voice[]> =>
    toCatalogVoices(await providers.listVoices(workspaceId))

  async function find(workspaceId: number, voiceId: string): Promise<Voice | null> {
    const builtIn = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
    if (builtIn !== undefined) return builtIn
    if (!isVendorVoiceId(voiceId)) return await findVoice(read, workspaceId, voiceId)
    return (await readVendorVoices(workspaceId)).find((voice) => voice.voiceId === voiceId) ?? null
  }

  return {
    async list(workspaceId, { limit, after }) {
      const startsInSharedVoices = after === null || isSharedVoiceId(after.id)
      const sharedVoices = startsInSharedVoices
        ? listSharedVoicesAfter([...BUILT_IN_VOICES, ...(await readVendorVoices(workspaceId))], after)
        : []
      const lastVoice = sharedVoices[limit - 1]
      if (lastVoice !== undefined && sharedVoices.length > limit)
        return { items: sharedVoices.slice(0, limit), next: getVoicePosition(lastVoice) }
      const remainingCount = limit - sharedVoices.length
      // After the shared voices, the list continues with the workspace's added voices.
      const storedAfter = startsInSharedVoices ? null : after
      const stored = await listStoredVoices(read, workspaceId, {
        limit: Math.max(remainingCount, 1),
        after: storedAfter,
      })
      if (remainingCount > 0) return { items: [...sharedVoices, ...stored.items], next: stored.next }
      return {
        items: sharedVoices,
        next: lastVoice !== undefined && stored.items.length > 0 ? getVoicePosition(lastVoice) : null,
      }
    },

    async get(workspaceId, voiceId) {
      const voice = await find(workspaceId, voiceId)
      if (voice === null) throw notFound('voice', voiceId)
      return voice
    },

    has: async (workspaceId, voiceId) => (await find(workspaceId, voiceId)) !== null,

    hasVendorVoices: async (workspaceId, provider) =>
      (await readVendorVoices(workspaceId)).some((voice) => voice.provider === provider),

    async resolveVoice(workspaceId, voiceId) {
      const builtIn = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
      if (builtIn !== undefined) {
        return { provider: builtIn.provider, vendorVoice: getBuiltInName(voiceId), gender: builtIn.gender }
      }
      const vendorVoiceId = parseVendorVoiceId(voiceId)
      if (vendorVoiceId === null) return await findAccountVoice(read, workspaceId, voiceId)
      const found = await find(workspaceId, voiceId)
      return { ...vendorVoiceId, gender: found?.gender ?? null }
    },
  }
}

/** Whether the voice exists without being added. */
function isSharedVoiceId(voiceId: string): boolean {
  return isBuiltInVoiceId(voiceId) || isVendorVoiceId(voiceId)
}

/** Returns the shared voices after a position, which may belong to a voice that no longer exists. */
export function listSharedVoicesAfter(voices: readonly Voice[], after: PagePosition | null): readonly Voice[] {
  if (after === null) return voices
  return voices.filter((voice) => {
    const { sortValue: at, id } = getVoicePosition(voice)
    return at < after.sortValue || (at === after.sortValue && id < after.id)
  })
}

function getVoicePosition({ voiceId, createdAt }: Voice): PagePosition {
  return { sortValue: Date.parse(createdAt), id: voiceId }
}

/** Whether an id belongs to a vendor's voice, connected or not. */
function isVendorVoiceId(voiceId: string): boolean {
  return VENDOR_VOICE_ID.test(voiceId)
}

/** Parses the voice to request. Accepts voices of disconnected vendors, so that an error can name the vendor. */
function parseVendorVoiceId(voiceId: string): Pick<ResolvedVoice, 'provider' | 'vendorVoice'> | null {
  const [, provider = '', vendorVoice = ''] = VENDOR_VOICE_ID.exec(voiceId) ?? []
  return provider === '' ? null : { provider, vendorVoice }
}

/** Converts vendor voices to catalog voices, newest first, then by id. */
function toCatalogVoices(voices: readonly VendorVoice[]): readonly Voice[] {
  return voices
    .map(({ provider, name, gender, description }) => ({
      voiceId: `voice_${provider}_${name}`,
      name: name.charAt(0).toUpperCase() + name.slice(1),
      gender,
      // Vendor voices speak the language of their input.
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
