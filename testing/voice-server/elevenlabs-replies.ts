import type { ToolReply } from '../tool-server/tool-reply.ts'
import type { VoiceServerRequest, VoiceServerState } from './voice-exchange.ts'
import { findSharedVoices, type SharedVoice } from './voice-library.ts'

/** Returns ElevenLabs' response, or `null` for an unknown path. */
export function replyAsElevenLabs(request: VoiceServerRequest, state: VoiceServerState): ToolReply | null {
  const { method, url, headers } = request
  const [version, resource, ...rest] = url.pathname.split('/').slice(1)
  if (version !== 'v1') return null
  if (headers['xi-api-key'] !== state.apiKey) return createRejection(401, 'invalid_api_key', 'Invalid API key')
  if (method === 'GET' && resource === 'shared-voices') return searchVoices(url, state)
  if (resource !== 'voices') return null
  if (method === 'POST' && rest[0] === 'add') return addVoice(request, state, { owner: rest[1], id: rest[2] })
  if (method !== 'GET') return null
  const [id] = rest
  return id === undefined ? { kind: 'json', body: { voices: listVoices(state) } } : readVoice(id, state)
}

function searchVoices({ searchParams }: URL, state: VoiceServerState): ToolReply {
  const pageSize = Number(searchParams.get('page_size') ?? '30')
  if (!(pageSize >= 1 && pageSize <= 100))
    return createRejection(422, 'invalid_page_size', 'page_size must be 1 to 100')
  const matchingVoices = findSharedVoices(state.voices, searchParams.get('search') ?? '', pageSize)
  const voices = matchingVoices.map((voice) => ({
    public_owner_id: voice.owner,
    voice_id: voice.id,
    date_unix: 1_700_000_000,
    name: voice.name,
    accent: voice.accent ?? '',
    gender: voice.gender ?? '',
    age: 'middle_aged',
    descriptive: 'calm',
    use_case: 'conversational',
    category: 'professional',
    language: voice.language ?? null,
    description: voice.description,
    preview_url: voice.previewUrl ?? null,
    cloned_by_count: 7,
    free_users_allowed: true,
  }))
  return { kind: 'json', body: { voices, has_more: false, last_sort_id: null } }
}

interface VoiceReference {
  readonly owner: string | undefined
  readonly id: string | undefined
}

function addVoice(request: VoiceServerRequest, state: VoiceServerState, { owner, id }: VoiceReference): ToolReply {
  const { new_name: name } = request.body ?? {}
  if (typeof name !== 'string' || name === '') {
    const missingField = { loc: ['body', 'new_name'], msg: 'field required', type: 'value_error.missing' }
    return { kind: 'json', status: 422, body: { detail: [missingField] } }
  }
  const shared = state.voices.find((voice) => voice.id === id && voice.owner === owner)
  if (shared === undefined)
    return createRejection(400, 'voice_not_found', `A voice for the voice_id ${id} was not found.`)
  if (state.added.has(shared.id)) {
    return createRejection(400, 'voice_already_cloned', `The voice ${id} has already been added to your VoiceLab.`)
  }
  state.added.set(shared.id, name)
  return { kind: 'json', body: { voice_id: shared.id } }
}

function listVoices(state: VoiceServerState): object[] {
  return [...state.added].flatMap(([id, name]) => {
    const voice = state.voices.find((shared) => shared.id === id)
    return voice === undefined ? [] : [describeAccountVoice(voice, name)]
  })
}

/** Returns a voice of the account, which contains only added voices. */
function readVoice(id: string, state: VoiceServerState): ToolReply {
  const voice = state.voices.find((shared) => shared.id === id)
  const name = state.added.get(id)
  if (voice === undefined || name === undefined) {
    return createRejection(400, 'voice_not_found', `A voice for the voice_id ${id} was not found.`)
  }
  return { kind: 'json', body: describeAccountVoice(voice, name) }
}

function describeAccountVoice(voice: SharedVoice, name: string): object {
  const verifiedLanguages =
    voice.language === undefined ? [] : [{ language: voice.language, model_id: 'any', accent: null }]
  return {
    voice_id: voice.id,
    name,
    category: 'professional',
    labels: createLabels(voice),
    description: voice.description,
    preview_url: voice.previewUrl ?? null,
    verified_languages: verifiedLanguages,
    is_owner: false,
  }
}

function createLabels({ gender, accent }: SharedVoice): Readonly<Record<string, string>> {
  const knownLabels = { ...(gender !== undefined && { gender }), ...(accent !== undefined && { accent }) }
  return { ...knownLabels, age: 'middle_aged', descriptive: 'calm', use_case: 'conversational' }
}

function createRejection(status: number, code: string, message: string): ToolReply {
  return { kind: 'json', status, body: { detail: { status: code, message } } }
}
