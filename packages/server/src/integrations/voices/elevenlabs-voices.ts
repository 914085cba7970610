import { PROVIDER_ID } from '@parley/contract/voice'
import type {
  AccountVoice,
  FoundVoice,
  SharedVoice,
  VoiceDirectory,
  VoiceFailure,
  VoiceOutcome,
} from '../../features/voices/public.ts'
import { asObject, asText } from '../models/unknown-json.ts'
import { addressField, labelField, tagFields, textField } from './voice-fields.ts'
import {
  openExchange,
  unreadable,
  type VoiceExchange,
  type VoiceHttpDependencies,
  type VoiceHttpFailure,
  type VoiceService,
} from './voice-http.ts'

const DEFAULT_BASE_URL = 'https://api.elevenlabs.io'
/** The most that one answer may hold. */
const PAGE_SIZE = '100'
const MAX_DESCRIPTION_CHARACTERS = 2000

/** The community voices of ElevenLabs. */
export function createElevenLabsVoices(dependencies: VoiceHttpDependencies): VoiceDirectory {
  const service: VoiceService = {
    label: 'ElevenLabs',
    defaultBaseUrl: DEFAULT_BASE_URL,
    keyHeaders: (apiKey) => ({ 'xi-api-key': apiKey }),
  }
  return {
    async search(key, query) {
      const exchange = openExchange(service, key, dependencies)
      const answer = await exchange.get('/v1/shared-voices', { search: query, page_size: PAGE_SIZE })
      if (!answer.ok) return toFailure(answer)
      const voices = asObject(answer.body)?.voices
      if (!Array.isArray(voices)) return unreadable(service)
      return { ok: true, value: voices.flatMap(readShared) }
    },

    async add(key, voice) {
      const exchange = openExchange(service, key, dependencies)
      const added = await addShared(exchange, voice, service)
      if (!added.ok) return added
      const read = await exchange.get(`/v1/voices/${added.value}`)
      if (!read.ok) return toFailure(read)
      return { ok: true, value: readAccountVoice(added.value, read.body) }
    },
  }
}

/** Takes a shared voice into the account; answers its id there. */
async function addShared(
  exchange: VoiceExchange,
  { providerVoiceId, publicUserId, name }: SharedVoice,
  service: VoiceService,
): Promise<VoiceOutcome<string>> {
  const path = `/v1/voices/add/${publicUserId ?? ''}/${providerVoiceId}`
  const answer = await exchange.post(path, { new_name: name })
  if (answer.ok) {
    const accountVoiceId = asText(asObject(answer.body)?.voice_id)
    return PROVIDER_ID.test(accountVoiceId) ? { ok: true, value: accountVoiceId } : unreadable(service)
  }
  // Another workspace may have added it with the same key; an interrupted attempt leaves it there, too.
  if (answer.code === 'voice_already_cloned') return { ok: true, value: providerVoiceId }
  if (answer.status === 404 || answer.code.endsWith('_not_found')) {
    const message = `${service.label} shares no voice "${providerVoiceId}" of the user "${publicUserId}".`
    return { ok: false, reason: 'unknown-voice', message }
  }
  return toFailure(answer)
}

function readShared(voice: unknown): FoundVoice[] {
  const fields = asObject(voice)
  const providerVoiceId = asText(fields?.voice_id)
  if (!PROVIDER_ID.test(providerVoiceId)) return []
  const owner = asText(fields?.public_owner_id)
  return [
    {
      providerVoiceId,
      name: textField(fields?.name, 200),
      description: textField(fields?.description, MAX_DESCRIPTION_CHARACTERS),
      publicUserId: PROVIDER_ID.test(owner) ? owner : null,
    },
  ]
}

function readAccountVoice(accountVoiceId: string, voice: unknown): AccountVoice {
  const fields = asObject(voice)
  const labels = asObject(fields?.labels)
  const { verified_languages: verified } = fields ?? {}
  // Older voices have no label for it, only the languages that they were checked for.
  const firstVerified = asObject(Array.isArray(verified) ? verified[0] : null)
  return {
    accountVoiceId,
    gender: labelField(labels?.gender),
    language: labelField(labels?.locale) ?? labelField(labels?.language) ?? labelField(firstVerified?.language),
    accent: labelField(labels?.accent),
    description: textField(fields?.description, MAX_DESCRIPTION_CHARACTERS),
    previewUrl: addressField(fields?.preview_url),
    tags: tagFields([labels?.age, labels?.descriptive, labels?.description, labels?.use_case, fields?.category]),
  }
}

function toFailure({ reason, message }: VoiceHttpFailure): VoiceFailure {
  return { ok: false, reason, message }
}
