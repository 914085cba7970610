import type { Page, PagePosition, PageRequest } from '../../kernel/api/paging.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { CatalogVoice, ResolvedVoice, VendorVoice, VendorVoices } from './voice-ports.ts'
import { findAccountVoice, findVoice, listAccountVoices, listStoredVoices } from './voice-store.ts'

/** Creation time of the built-in voices, the same on every installation. */
const BUILT_IN_VOICES_ADDED_AT = '2026-04-20T00:00:00.000Z'

type BuiltInVoice = Pick<CatalogVoice, 'voiceId' | 'name' | 'gender' | 'language' | 'accent' | 'description'>

/** Generated ids never have this prefix. */
const BUILT_IN_ID_PREFIX = 'voice_builtin_'

/** Whether an id has the format of built-in voice ids. */
export function isBuiltInVoiceId(voiceId: string): boolean {
  return voiceId.startsWith(BUILT_IN_ID_PREFIX)
}

/** Returns the synthesizer's name for a built-in voice. */
function getBuiltInName(voiceId: string): string {
  return voiceId.slice(BUILT_IN_ID_PREFIX.length)
}

/** The English voices of the built-in synthesizer. They are small and fast, but sound synthetic. */
const ENGLISH_VOICES: readonly BuiltInVoice[] = [
  {
    voiceId: 'voice_builtin_slt',
    name: 'Emma',
    gender: 'female',
    language: 'en-US',
    accent: 'American',
    description: 'Built-in American English voice. Clear, starts at once without a provider, sounds synthetic.',
  },
  {
    voiceId: 'voice_builtin_rms',
    name: 'Ryan',
    gender: 'male',
    language: 'en-US',
    accent: 'American',
    description: 'Built-in American English voice. Calm, starts at once without a provider, sounds synthetic.',
  },
  {
    voiceId: 'voice_builtin_kal',
    name: 'Kevin',
    gender: 'male',
    language: 'en-US',
    accent: 'American',
    description: 'Built-in American English voice. The smallest and most robotic, for tests.',
  },
  {
    voiceId: 'voice_builtin_awb',
    name: 'Alan',
    gender: 'male',
    language: 'en-GB',
    accent: 'Scottish',
    description: 'Built-in voice with a Scottish accent and American pronunciation rules. Sounds synthetic.',
  },
]

/** The built-in voices of every workspace, in list order. */
export const BUILT_IN_VOICES: readonly CatalogVoice[] = ENGLISH_VOICES.map((voice) => ({
  ...voice,
  provider: 'builtin',
  previewUrl: null,
  playbackOverrideUrl: null,
  tags: ['built-in', 'english'],
  createdAt: BUILT_IN_VOICES_ADDED_AT,
  updatedAt: BUILT_IN_VOICES_ADDED_AT,
})).sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))

/** Creation time of vendor voices, the same on every installation. Earlier than the built-in voices, which are listed first. */
const VENDOR_VOICES_ADDED_AT = '2026-04-19T00:00:00.000Z'

/** Matches the ids of vendor voices that are available without being added. Generated ids never match. */
const VENDOR_VOICE_ID = /^voice_(openai|speech|deepgram|elevenlabs|cartesia)_([\w-]{1,100})$/

/** Finds the voices of a workspace, which are built-in voices, voices of connected vendors and added voices. */
export interface VoiceCatalog {
  /** Lists built-in voices, then voices of connected vendors, then added voices, newest first. */
  list(workspaceId: number, page: PageRequest): Promise<Page<CatalogVoice>>
  /** Returns a voice. Throws `not_found` if the workspace does not have the voice. */
  get(workspaceId: number, voiceId: string): Promise<CatalogVoice>
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

const NO_VENDORS: VendorVoices = { listVoices: async () => [], listKnownVoices: async () => [] }

export function createVoiceCatalog(
  { read }: Pick<Database, 'read'>,
  providers: VendorVoices = NO_VENDORS,
): VoiceCatalog {
  const readVendorVoices = async (workspaceId: number): Promise<readonly CatalogVoice[]> =>
    toCatalogVoices(await providers.listVoices(workspaceId))

  /** Returns the vendor voices without those that the workspace has added, which follow with their own names. */
  async function readUnaddedVoices(workspaceId: number): Promise<readonly CatalogVoice[]> {
    const [voices, addedVoices] = await Promise.all([
      readVendorVoices(workspaceId),
      listAccountVoices(read, workspaceId),
    ])
    const addedIds = new Set(addedVoices.map(({ provider, vendorVoice }) => buildVoiceId(provider, vendorVoice)))
    return voices.filter(({ voiceId }) => !addedIds.has(voiceId))
  }

  async function findVoiceById(workspaceId: number, voiceId: string): Promise<CatalogVoice | null> {
    const builtInVoice = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
    if (builtInVoice !== undefined) return builtInVoice
    if (!isVendorVoiceId(voiceId)) return await findVoice(read, workspaceId, voiceId)
    return (await readVendorVoices(workspaceId)).find((voice) => voice.voiceId === voiceId) ?? null
  }

  return {
    async list(workspaceId, { limit, after }) {
      const startsInSharedVoices = after === null || isSharedVoiceId(after.id)
      const sharedVoices = startsInSharedVoices
        ? listSharedVoicesAfter([...BUILT_IN_VOICES, ...(await readUnaddedVoices(workspaceId))], after)
        : []
      const lastVoice = sharedVoices[limit - 1]
      if (lastVoice !== undefined && sharedVoices.length > limit)
        return { items: sharedVoices.slice(0, limit), next: getVoicePosition(lastVoice) }
      const remainingCount = limit - sharedVoices.length
      // After the shared voices, the list continues with the workspace's added voices.
      const storedAfter = startsInSharedVoices ? null : after
      const storedPage = await listStoredVoices(read, workspaceId, {
        limit: Math.max(remainingCount, 1),
        after: storedAfter,
      })
      if (remainingCount > 0) return { items: [...sharedVoices, ...storedPage.items], next: storedPage.next }
      return {
        items: sharedVoices,
        next: lastVoice !== undefined && storedPage.items.length > 0 ? getVoicePosition(lastVoice) : null,
      }
    },

    async get(workspaceId, voiceId) {
      const voice = await findVoiceById(workspaceId, voiceId)
      if (voice === null) throw notFound('voice', voiceId)
      return voice
    },

    has: async (workspaceId, voiceId) => (await findVoiceById(workspaceId, voiceId)) !== null,

    hasVendorVoices: async (workspaceId, provider) =>
      (await readVendorVoices(workspaceId)).some((voice) => voice.provider === provider),

    async resolveVoice(workspaceId, voiceId) {
      const builtInVoice = BUILT_IN_VOICES.find((voice) => voice.voiceId === voiceId)
      if (builtInVoice !== undefined) {
        return { provider: builtInVoice.provider, vendorVoice: getBuiltInName(voiceId), gender: builtInVoice.gender }
      }
      const parsedVoice = parseVendorVoiceId(voiceId)
      if (parsedVoice === null) return await findAccountVoice(read, workspaceId, voiceId)
      // Calls must not wait for a vendor's list.
      const knownVoices = toCatalogVoices(await providers.listKnownVoices(workspaceId))
      return { ...parsedVoice, gender: knownVoices.find((voice) => voice.voiceId === voiceId)?.gender ?? null }
    },
  }
}

/** Whether the voice is available without being added. */
function isSharedVoiceId(voiceId: string): boolean {
  return isBuiltInVoiceId(voiceId) || isVendorVoiceId(voiceId)
}

/** Returns the shared voices after a position. The voice at the position may no longer exist. */
export function listSharedVoicesAfter(
  voices: readonly CatalogVoice[],
  after: PagePosition | null,
): readonly CatalogVoice[] {
  if (after === null) return voices
  return voices.filter((voice) => {
    const { sortValue, id } = getVoicePosition(voice)
    return sortValue < after.sortValue || (sortValue === after.sortValue && id < after.id)
  })
}

function getVoicePosition({ voiceId, createdAt }: CatalogVoice): PagePosition {
  return { sortValue: Date.parse(createdAt), id: voiceId }
}

/** Whether an id has the format of vendor voice ids. The vendor need not be connected. */
function isVendorVoiceId(voiceId: string): boolean {
  return VENDOR_VOICE_ID.test(voiceId)
}

/** Parses the id of a vendor voice. Accepts disconnected vendors, so that error messages can name the vendor. */
function parseVendorVoiceId(voiceId: string): Pick<ResolvedVoice, 'provider' | 'vendorVoice'> | null {
  const [, provider = '', vendorVoice = ''] = VENDOR_VOICE_ID.exec(voiceId) ?? []
  return provider === '' ? null : { provider, vendorVoice }
}

function buildVoiceId(provider: string | null, vendorVoice: string): string {
  return `voice_${provider}_${vendorVoice}`
}

/** Converts vendor voices to catalog voices, newest first, then by id. */
function toCatalogVoices(voices: readonly VendorVoice[]): readonly CatalogVoice[] {
  return voices
    .map(({ provider, name, label = name, language = null, accent = null, previewUrl = null, ...voice }) => ({
      voiceId: buildVoiceId(provider, name),
      name: label.charAt(0).toUpperCase() + label.slice(1),
      gender: voice.gender,
      language,
      accent,
      description: voice.description,
      provider,
      previewUrl,
      playbackOverrideUrl: null,
      tags: [...(voice.tags ?? (language === null ? ['multilingual'] : []))],
      createdAt: VENDOR_VOICES_ADDED_AT,
      updatedAt: VENDOR_VOICES_ADDED_AT,
    }))
    .filter(({ voiceId }) => VENDOR_VOICE_ID.test(voiceId))
    .sort((left, right) => (left.voiceId < right.voiceId ? 1 : -1))
}
