import type { LoadSample } from '../../features/voices/public.ts'
import type { SendOutbound } from '../../platform/outbound/outbound-request.ts'

/** Short, because a person is waiting. */
const TIMEOUT_MS = 10_000
const MAX_SAMPLE_BYTES = 5 * 1024 * 1024
const MAX_REDIRECTS = 3

/** Types that browsers play. Other types could be active content, which must not be served from this server. */
const AUDIO_TYPES: ReadonlySet<string> = new Set([
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/wave',
  'audio/webm',
  'audio/x-m4a',
  'audio/x-wav',
])

/** Creates a function that loads the samples of voices. `sendGuarded` blocks internal networks. */
export function createSampleLoader(sendGuarded: SendOutbound): LoadSample {
  return async (url) => {
    const outcome = await sendGuarded({
      url,
      method: 'GET',
      headers: { accept: 'audio/*' },
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_SAMPLE_BYTES,
      maxRedirects: MAX_REDIRECTS,
    })
    if (!outcome.ok) {
      const reason = outcome.reason === 'timeout' ? 'timeout' : 'failed'
      return { ok: false, reason, message: `The sample of the voice could not be loaded. ${outcome.message}` }
    }
    const { status, headers, body } = outcome
    if (status !== 200) return createFailure(`responded with status ${status}`)
    const contentType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
    if (!AUDIO_TYPES.has(contentType)) return createFailure('did not return audio')
    return { ok: true, contentType, bytes: body }
  }
}

function createFailure(problem: string): Awaited<ReturnType<LoadSample>> {
  return { ok: false, reason: 'failed', message: `The server of the voice’s sample ${problem}.` }
}
