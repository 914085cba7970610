import type { ToolReply } from '../tool-server/tool-reply.ts'
import type { VoiceServerRequest, VoiceServerState } from './voice-exchange.ts'
import { findSharedVoices, type SharedVoice } from './voice-library.ts'

/** First version whose voices have the format of this server: `access` in place of `is_public`. */
const OLDEST_VERSION = '2026-08-14'
const GENDERS: Readonly<Record<string, string>> = { male: 'masculine', female: 'feminine' }

/** Returns Cartesia's response, or `null` for an unknown path. */
export function replyAsCartesia(
  { method, url, headers }: VoiceServerRequest,
  state: VoiceServerState,
): ToolReply | null {
  const [resource, id, ...rest] = url.pathname.split('/').slice(1)
  if (method !== 'GET' || resource !== 'voices' || rest.length > 0) return null
  if (headers.authorization !== `Bearer ${state.apiKey}`) return createTextReply(401, 'Invalid API key')
  const version = String(headers['cartesia-version'] ?? '')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version) || version < OLDEST_VERSION)
    return createTextReply(400, 'Unsupported Cartesia-Version')
  if (id !== undefined) {
    const voice = state.voices.find((shared) => shared.id === id)
    return voice === undefined ? createTextReply(404, 'Voice not found') : { kind: 'json', body: describeVoice(voice) }
  }
  const limit = Number(url.searchParams.get('limit') ?? '10')
  if (!(limit >= 1 && limit <= 100)) return createTextReply(400, 'limit must be between 1 and 100')
  const data = findSharedVoices(state.voices, url.searchParams.get('q') ?? '', limit).map(describeVoice)
  return { kind: 'json', body: { data, has_more: false, next_page: null } }
}

function describeVoice(voice: SharedVoice): object {
  return {
    id: voice.id,
    is_owner: false,
    access: 'public',
    visibility: 'all',
    name: voice.name,
    description: voice.description,
    created_at: '2025-01-01T00:00:00Z',
    language: voice.language ?? null,
    gender: voice.gender === undefined ? null : (GENDERS[voice.gender] ?? 'gender_neutral'),
  }
}

function createTextReply(status: number, body: string): ToolReply {
  return { kind: 'raw', status, body, contentType: 'text/plain' }
}
