import type { Clock } from '@parley/engine/ports'
import type { VendorKey, VendorKeys } from '../../features/vendor-keys/public.ts'
import type { ListedVoice, VendorVoice, VendorVoices, VoiceDirectories } from '../../features/voices/public.ts'
import { RecentMap } from '../recent-map.ts'
import { DEEPGRAM_VOICES } from './deepgram/deepgram-voices.ts'
import type { SpeechVendors } from './speech-vendors.ts'

/** Vendors whose accounts list their voices. */
const ACCOUNT_VENDORS = ['elevenlabs', 'cartesia'] as const
type AccountVendor = (typeof ACCOUNT_VENDORS)[number]

interface VendorVoicesOptions extends AccountVoicesOptions {
  /** Voices of the operator's speech server. */
  readonly voices: readonly string[]
  readonly keys: VendorKeys
}

/**
 * Creates the voice lists of connected vendors. The voices of OpenAI and Deepgram come from tables, the operator's voices from
 * the settings, and the voices of ElevenLabs and Cartesia from the account of the workspace's key.
 */
export function createVendorVoices(speech: SpeechVendors, options: VendorVoicesOptions): VendorVoices {
  const { keys } = options
  const accountVoices = createAccountVoices(options)
  const tables = createVoiceTables(options.voices)

  async function listVoices(
    workspaceId: number,
    readAccount: (vendor: AccountVendor, key: VendorKey) => Promise<readonly VendorVoice[]>,
  ): Promise<readonly VendorVoice[]> {
    const { voiceVendors } = await speech.forWorkspace(workspaceId)
    const accountVendors = ACCOUNT_VENDORS.filter((vendor) => voiceVendors.includes(vendor))
    const lists = await Promise.all(
      accountVendors.map(async (vendor) => {
        const key = await keys.findKey(workspaceId, vendor)
        return key === null ? [] : await readAccount(vendor, key)
      }),
    )
    return [...tables.filter(({ provider }) => voiceVendors.includes(provider)), ...lists.flat()]
  }

  return {
    listVoices: (workspaceId) => listVoices(workspaceId, accountVoices.read),
    listKnownVoices: (workspaceId) => listVoices(workspaceId, accountVoices.readCached),
  }
}

function createVoiceTables(operatorVoiceNames: readonly string[]): readonly VendorVoice[] {
  return [
    ...OPENAI_VOICES.map(
      (voice): VendorVoice => ({
        ...voice,
        provider: 'openai',
        description: `${voice.description} An OpenAI voice.`,
      }),
    ),
    ...operatorVoiceNames.map(
      (name): VendorVoice => ({
        provider: 'speech',
        name,
        gender: null,
        description: 'A voice on this installation’s speech server.',
      }),
    ),
    ...DEEPGRAM_VOICES.map(({ model, ...voice }): VendorVoice => ({ ...voice, provider: 'deepgram', tags: [model] })),
  ]
}

interface AccountVoicesOptions {
  readonly directories: Readonly<Record<AccountVendor, Pick<VoiceDirectories[AccountVendor], 'list'>>>
  readonly clock: Clock
  readonly logger: { warn(details: object, message: string): void }
}

/** A list that was read, or is being read. A failed attempt keeps the list before it. */
interface AccountList {
  voices: readonly VendorVoice[]
  /** Time after which the list is read again. */
  staleAtMs: number
  reading: Promise<void> | null
}

const FRESH_MS = 5 * 60_000
/** Time before a vendor that failed is asked again. */
const RETRY_AFTER_MS = 30_000
/** A person waits for the list. A slower response is used by the next request. */
const LIST_DEADLINE_MS = 4_000
const MAX_LISTS = 500

/** Reads the voices of vendor accounts, with a cache for each key. Never rejects. */
function createAccountVoices({ directories, clock, logger }: AccountVoicesOptions) {
  const lists = new RecentMap<AccountList>(MAX_LISTS)
  const getList = (vendor: AccountVendor, { apiKey, baseUrl, isShared }: VendorKey): AccountList =>
    lists.getOrCreate(JSON.stringify([vendor, apiKey, baseUrl, isShared]), () => ({
      ...{ voices: [], staleAtMs: Number.NEGATIVE_INFINITY, reading: null },
    }))

  async function refresh(list: AccountList, vendor: AccountVendor, key: VendorKey): Promise<void> {
    const outcome = await directories[vendor].list(key)
    list.reading = null
    list.staleAtMs = clock.now() + (outcome.ok ? FRESH_MS : RETRY_AFTER_MS)
    if (outcome.ok) list.voices = outcome.value.map((voice) => toVendorVoice(vendor, voice))
    else logger.warn({ vendor, reason: outcome.reason }, 'the voices of a vendor could not be listed')
  }

  return {
    async read(vendor: AccountVendor, key: VendorKey): Promise<readonly VendorVoice[]> {
      const list = getList(vendor, key)
      if (list.staleAtMs <= clock.now()) {
        list.reading ??= refresh(list, vendor, key)
        await waitAtMost(clock, LIST_DEADLINE_MS, list.reading)
      }
      return list.voices
    },
    readCached: async (vendor: AccountVendor, key: VendorKey) => getList(vendor, key).voices,
  }
}

async function waitAtMost(clock: Clock, maxMs: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(maxMs, resolve)
  await Promise.race([work, promise])
  cancel()
}

function toVendorVoice(provider: AccountVendor, { accountVoiceId, name, ...voice }: ListedVoice): VendorVoice {
  const { gender, language, accent, description, previewUrl, tags } = voice
  return { provider, name: accountVoiceId, label: name, gender, language, accent, description, previewUrl, tags }
}

/**
 * The documented voices of OpenAI's speech API, as of 2026-03. The API does not list voices or genders. The genders here
 * describe how most listeners perceive the voices.
 */
const OPENAI_VOICES = [
  { name: 'alloy', gender: 'neutral', description: 'Balanced and neutral.' },
  { name: 'ash', gender: 'male', description: 'Clear and precise.' },
  { name: 'ballad', gender: 'male', description: 'Melodic and smooth.' },
  { name: 'coral', gender: 'female', description: 'Warm and friendly.' },
  { name: 'echo', gender: 'male', description: 'Resonant and deep.' },
  { name: 'fable', gender: 'neutral', description: 'Expressive, for stories.' },
  { name: 'nova', gender: 'female', description: 'Bright and energetic.' },
  { name: 'onyx', gender: 'male', description: 'Dark and composed.' },
  { name: 'sage', gender: 'female', description: 'Calm and thoughtful.' },
  { name: 'shimmer', gender: 'female', description: 'Light and cheerful.' },
  { name: 'verse', gender: 'male', description: 'Versatile and lively.' },
  { name: 'marin', gender: 'female', description: 'Natural and relaxed.' },
  { name: 'cedar', gender: 'male', description: 'Natural and steady.' },
] as const
