import { PROVIDER_ID } from '@parley/contract/voice'
import type {
  AccountVoice,
  ListedVoice,
  SharedVoice,
  VoiceDirectories,
  VoiceDirectory,
  VoiceFailure,
  VoiceOutcome,
  VoiceSearchResult,
} from '../../features/voices/public.ts'
import { buildCartesiaHeaders } from '../cartesia-api.ts'
import { DEFAULT_BASE_URLS } from '../models/default-base-urls.ts'
import { toObject, toText } from '../models/unknown-json.ts'
import {
  createUnreadableFailure,
  openExchange,
  readLabelField,
  readTagFields,
  readTextField,
  readUrlField,
  type VoiceExchange,
  type VoiceHttpDependencies,
  type VoiceHttpFailure,
  type VoiceService,
} from './voice-http.ts'

/** Creates the voice directories of all vendors. */
export function createVoiceDirectories(dependencies: VoiceHttpDependencies): VoiceDirectories {
  return { elevenlabs: createElevenLabsVoices(dependencies), cartesia: createCartesiaVoices(dependencies) }
}

/** Maximum page size of both APIs. */
const PAGE_SIZE = '100'
const MAX_DESCRIPTION_CHARACTERS = 2000
const MAX_NAME_CHARACTERS = 200
/** Maps Cartesia's genders to common genders. */
const GENDERS = new Map([
  ['masculine', 'male'],
  ['feminine', 'female'],
  ['gender_neutral', 'neutral'],
])
/** Statuses of responses for unknown voices and for IDs that are not UUIDs. */
const UNKNOWN_VOICE_STATUSES: readonly (number | null)[] = [400, 404, 422]

export const CARTESIA: VoiceService = {
  label: 'Cartesia',
  defaultBaseUrl: DEFAULT_BASE_URLS.cartesia,
  buildKeyHeaders: buildCartesiaHeaders,
}

export const ELEVENLABS: VoiceService = {
  label: 'ElevenLabs',
  defaultBaseUrl: DEFAULT_BASE_URLS.elevenlabs,
  buildKeyHeaders: (apiKey) => ({ 'xi-api-key': apiKey }),
}

/** Creates the directory of Cartesia's public voices. */
function createCartesiaVoices(dependencies: VoiceHttpDependencies): VoiceDirectory {
  const service = CARTESIA
  return {
    async search(key, query) {
      const response = await openExchange(service, key, dependencies).get('/voices', { q: query, limit: PAGE_SIZE })
      if (!response.ok) return { ok: false, reason: response.reason, message: response.message }
      const voices = toObject(response.body)?.data
      if (!Array.isArray(voices)) return createUnreadableFailure(service)
      return { ok: true, value: voices.flatMap(parseFoundVoice) }
    },

    async list(key) {
      const response = await openExchange(service, key, dependencies).get('/voices', { limit: PAGE_SIZE })
      if (!response.ok) return toFailure(response)
      const voices = toObject(response.body)?.data
      if (!Array.isArray(voices)) return createUnreadableFailure(service)
      const visibleVoices = key.isShared ? voices.filter((voice) => toObject(voice)?.access === 'public') : voices
      return { ok: true, value: listNamedVoices(visibleVoices, parseCartesiaVoice) }
    },

    // Public voices are available to every account, so this only checks that the voice exists.
    async add(key, { providerVoiceId }) {
      const response = await openExchange(service, key, dependencies).get(`/voices/${providerVoiceId}`)
      if (response.ok) {
        const voice = parseCartesiaVoice(response.body)
        return voice === null ? createUnreadableFailure(service) : { ok: true, value: voice }
      }
      if (UNKNOWN_VOICE_STATUSES.includes(response.status)) {
        return { ok: false, reason: 'unknown-voice', message: `Cartesia has no voice "${providerVoiceId}".` }
      }
      return { ok: false, reason: response.reason, message: response.message }
    },
  }
}

function parseFoundVoice(voice: unknown): VoiceSearchResult[] {
  const fields = toObject(voice)
  const providerVoiceId = toText(fields?.id)
  if (!PROVIDER_ID.test(providerVoiceId)) return []
  const description = readTextField(fields?.description, MAX_DESCRIPTION_CHARACTERS)
  return [{ providerVoiceId, name: readTextField(fields?.name, 200), description, publicUserId: null }]
}

function parseCartesiaVoice(voice: unknown): AccountVoice | null {
  const fields = toObject(voice)
  const accountVoiceId = toText(fields?.id)
  if (!PROVIDER_ID.test(accountVoiceId)) return null
  const gender = readLabelField(fields?.gender)
  return {
    accountVoiceId,
    gender: gender === null ? null : (GENDERS.get(gender) ?? gender),
    language: readLabelField(fields?.language),
    accent: null,
    description: readTextField(fields?.description, MAX_DESCRIPTION_CHARACTERS),
    // Preview URLs require the key and expire.
    previewUrl: null,
    tags: [],
  }
}

/** Creates the directory of ElevenLabs' community voices. */
function createElevenLabsVoices(dependencies: VoiceHttpDependencies): VoiceDirectory {
  const service = ELEVENLABS
  return {
    async search(key, query) {
      const exchange = openExchange(service, key, dependencies)
      const response = await exchange.get('/v1/shared-voices', { search: query, page_size: PAGE_SIZE })
      if (!response.ok) return toFailure(response)
      const voices = toObject(response.body)?.voices
      if (!Array.isArray(voices)) return createUnreadableFailure(service)
      return { ok: true, value: voices.flatMap(parseSharedVoice) }
    },

    async list(key) {
      const response = await openExchange(service, key, dependencies).get('/v1/voices')
      if (!response.ok) return toFailure(response)
      const voices = toObject(response.body)?.voices
      if (!Array.isArray(voices)) return createUnreadableFailure(service)
      // Other workspaces chose the names of added voices in an account that they share.
      const visibleVoices = key.isShared ? voices.filter((voice) => toObject(voice)?.category === 'premade') : voices
      return {
        ok: true,
        value: listNamedVoices(visibleVoices, (voice) => {
          const accountVoiceId = toText(toObject(voice)?.voice_id)
          return PROVIDER_ID.test(accountVoiceId) ? parseElevenLabsVoice(accountVoiceId, voice) : null
        }),
      }
    },

    async add(key, voice) {
      const exchange = openExchange(service, key, dependencies)
      const addResult = await addSharedVoice(exchange, voice, service)
      if (!addResult.ok) return addResult
      const voiceResponse = await exchange.get(`/v1/voices/${addResult.value}`)
      if (!voiceResponse.ok) return toFailure(voiceResponse)
      return { ok: true, value: parseElevenLabsVoice(addResult.value, voiceResponse.body) }
    },
  }
}

/** Adds a shared voice to the account. Returns its ID in the account. */
async function addSharedVoice(
  exchange: VoiceExchange,
  { providerVoiceId, publicUserId, name }: SharedVoice,
  service: VoiceService,
): Promise<VoiceOutcome<string>> {
  const path = `/v1/voices/add/${publicUserId ?? ''}/${providerVoiceId}`
  const response = await exchange.post(path, { new_name: name })
  if (response.ok) {
    const accountVoiceId = toText(toObject(response.body)?.voice_id)
    return PROVIDER_ID.test(accountVoiceId) ? { ok: true, value: accountVoiceId } : createUnreadableFailure(service)
  }
  // Another workspace with the same key, or an interrupted attempt, may have added the voice.
  if (response.code === 'voice_already_cloned') return { ok: true, value: providerVoiceId }
  if (response.status === 404 || response.code.endsWith('_not_found')) {
    const message = `${service.label} shares no voice "${providerVoiceId}" of the user "${publicUserId}".`
    return { ok: false, reason: 'unknown-voice', message }
  }
  return toFailure(response)
}

function parseSharedVoice(voice: unknown): VoiceSearchResult[] {
  const fields = toObject(voice)
  const providerVoiceId = toText(fields?.voice_id)
  if (!PROVIDER_ID.test(providerVoiceId)) return []
  const ownerId = toText(fields?.public_owner_id)
  return [
    {
      providerVoiceId,
      name: readTextField(fields?.name, 200),
      description: readTextField(fields?.description, MAX_DESCRIPTION_CHARACTERS),
      publicUserId: PROVIDER_ID.test(ownerId) ? ownerId : null,
    },
  ]
}

function parseElevenLabsVoice(accountVoiceId: string, voice: unknown): AccountVoice {
  const fields = toObject(voice)
  const labels = toObject(fields?.labels)
  const { verified_languages: verifiedLanguages } = fields ?? {}
  // Older voices have no language label, only verified languages.
  const firstLanguage = toObject(Array.isArray(verifiedLanguages) ? verifiedLanguages[0] : null)
  return {
    accountVoiceId,
    gender: readLabelField(labels?.gender),
    language:
      readLabelField(labels?.locale) ?? readLabelField(labels?.language) ?? readLabelField(firstLanguage?.language),
    accent: readLabelField(labels?.accent),
    description: readTextField(fields?.description, MAX_DESCRIPTION_CHARACTERS),
    previewUrl: readUrlField(fields?.preview_url),
    tags: readTagFields([labels?.age, labels?.descriptive, labels?.description, labels?.use_case, fields?.category]),
  }
}

/** Maximum number of voices of one vendor in a list. */
const MAX_LISTED_VOICES = 500

/** Parses the voices of a list, without those that have no valid ID. */
function listNamedVoices(
  voices: readonly unknown[],
  parseVoice: (voice: unknown) => AccountVoice | null,
): readonly ListedVoice[] {
  return voices.slice(0, MAX_LISTED_VOICES).flatMap((voice) => {
    const accountVoice = parseVoice(voice)
    if (accountVoice === null) return []
    const name = readTextField(toObject(voice)?.name, MAX_NAME_CHARACTERS)
    return [{ ...accountVoice, name: name === '' ? accountVoice.accountVoiceId : name }]
  })
}

function toFailure({ reason, message }: VoiceHttpFailure): VoiceFailure {
  return { ok: false, reason, message }
}
