import { PROVIDER_ID } from '@parley/contract/voice'
import type { AccountVoice, FoundVoice, VoiceDirectory } from '../../features/voices/public.ts'
import { asObject, asText } from '../models/unknown-json.ts'
import { labelField, textField } from './voice-fields.ts'
import { openExchange, unreadable, type VoiceHttpDependencies, type VoiceService } from './voice-http.ts'

const DEFAULT_BASE_URL = 'https://api.cartesia.ai'
/** The version whose answers are read here. */
const API_VERSION = '2026-03-01'
/** The most that one answer may hold. */
const PAGE_SIZE = '100'
const MAX_DESCRIPTION_CHARACTERS = 2000
/** The words of other catalogues for what this one calls so. */
const GENDERS = new Map([
  ['masculine', 'male'],
  ['feminine', 'female'],
  ['gender_neutral', 'neutral'],
])
/** An id that is no UUID is not looked up at all. */
const UNKNOWN_VOICE_STATUSES: readonly (number | null)[] = [400, 404, 422]

/** The public voices of Cartesia. */
export function createCartesiaVoices(dependencies: VoiceHttpDependencies): VoiceDirectory {
  const service: VoiceService = {
    label: 'Cartesia',
    defaultBaseUrl: DEFAULT_BASE_URL,
    keyHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}`, 'cartesia-version': API_VERSION }),
  }
  return {
    async search(key, query) {
      const answer = await openExchange(service, key, dependencies).get('/voices', { q: query, limit: PAGE_SIZE })
      if (!answer.ok) return { ok: false, reason: answer.reason, message: answer.message }
      const voices = asObject(answer.body)?.data
      if (!Array.isArray(voices)) return unreadable(service)
      return { ok: true, value: voices.flatMap(parseFoundVoice) }
    },

    // Its public voices speak for every account: there is nothing to add, only to make sure that the voice exists.
    async add(key, { providerVoiceId }) {
      const answer = await openExchange(service, key, dependencies).get(`/voices/${providerVoiceId}`)
      if (answer.ok) {
        const voice = readAccountVoice(answer.body)
        return voice === null ? unreadable(service) : { ok: true, value: voice }
      }
      if (UNKNOWN_VOICE_STATUSES.includes(answer.status)) {
        return { ok: false, reason: 'unknown-voice', message: `Cartesia has no voice "${providerVoiceId}".` }
      }
      return { ok: false, reason: answer.reason, message: answer.message }
    },
  }
}

function parseFoundVoice(voice: unknown): FoundVoice[] {
  const fields = asObject(voice)
  const providerVoiceId = asText(fields?.id)
  if (!PROVIDER_ID.test(providerVoiceId)) return []
  const description = textField(fields?.description, MAX_DESCRIPTION_CHARACTERS)
  return [{ providerVoiceId, name: textField(fields?.name, 200), description, publicUserId: null }]
}

function readAccountVoice(voice: unknown): AccountVoice | null {
  const fields = asObject(voice)
  const accountVoiceId = asText(fields?.id)
  if (!PROVIDER_ID.test(accountVoiceId)) return null
  const gender = labelField(fields?.gender)
  return {
    accountVoiceId,
    gender: gender === null ? null : (GENDERS.get(gender) ?? gender),
    language: labelField(fields?.language),
    accent: null,
    description: textField(fields?.description, MAX_DESCRIPTION_CHARACTERS),
    // Its samples can only be fetched with the key, and not for long.
    previewUrl: null,
    tags: [],
  }
}
