import { type Recording, readWav } from './wav-audio.ts'

/** A received speech request. */
export interface SpeechRequest {
  readonly kind: 'speech'
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** A received transcription request. */
export interface TranscriptionRequest {
  readonly kind: 'transcription'
  readonly authorization: string | undefined
  /** Form fields. If a field occurs several times, its values are separated by commas. */
  readonly fields: Readonly<Record<string, string>>
  readonly recording: Recording
}

const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const RESPONSE_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt']
const MAX_CHARACTERS = 4_096
/** Minimum duration of recordings in the wire format. */
const MIN_SECONDS = 0.1

/** Reads the body of a speech request. Returns a sentence if the body violates the wire format. */
export function readSpeechBody(bodyText: string): SpeechRequest['body'] | string {
  let body: unknown
  try {
    body = JSON.parse(bodyText)
  } catch {
    return 'The body is not JSON.'
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'The body is not an object.'
  const fields = body as Record<string, unknown>
  const { model, input, voice, response_format: format = 'mp3', speed = 1, instructions } = fields
  if (typeof model !== 'string' || model === '') return 'model is missing'
  if (typeof input !== 'string' || input === '') return 'input is missing'
  if (input.length > MAX_CHARACTERS) return `input is longer than ${MAX_CHARACTERS} characters`
  if (typeof voice !== 'string' || voice === '') return 'voice is missing'
  if (typeof format !== 'string' || !FORMATS.includes(format)) return 'response_format is unknown'
  if (typeof speed !== 'number' || speed < 0.25 || speed > 4) return 'speed is out of range'
  if (instructions !== undefined && (typeof instructions !== 'string' || model.startsWith('tts-1'))) {
    return 'instructions do not work with this model'
  }
  return fields
}

/** Reads a form with a recording. Returns a sentence if the form violates the wire format. */
export function readTranscriptForm(
  contentType: string,
  body: Buffer,
): Pick<TranscriptionRequest, 'fields' | 'recording'> | string {
  const boundary = /^multipart\/form-data;\s*boundary=([^\s;]+)$/.exec(contentType)?.[1]
  if (boundary === undefined) return 'The body is not a form.'
  const text = body.toString('latin1')
  const parts = text.split(`--${boundary}`)
  if (parts.length < 3 || !parts.at(-1)?.startsWith('--')) return 'The form is not complete.'
  const fields: Record<string, string> = {}
  let recording: Recording | string = 'file is missing'
  for (const part of parts.slice(1, -1)) {
    const split = part.indexOf('\r\n\r\n')
    const head = part.slice(0, split)
    const content = Buffer.from(part.slice(split + 4, -2), 'latin1')
    const name = /name="([^"]+)"/.exec(head)?.[1] ?? ''
    if (/filename="[^"]+\.wav"/.test(head) && name === 'file') recording = readWav(content)
    else fields[name] = [...(name in fields ? [fields[name]] : []), content.toString('utf8')].join(',')
  }
  if (typeof recording === 'string') return recording
  if (fields.model === undefined || fields.model === '') return 'model is missing'
  if (!RESPONSE_FORMATS.includes(fields.response_format ?? 'json')) return 'response_format is unknown'
  if (fields.model !== 'whisper-1' && fields.response_format === 'verbose_json' && fields.model.startsWith('gpt-')) {
    return 'response_format verbose_json is not compatible with this model'
  }
  if (fields.language !== undefined && !/^[a-z]{2}$/.test(fields.language)) return 'language is unknown'
  if (recording.samples.length < recording.rateHz * MIN_SECONDS) return 'Audio file is too short.'
  return { fields, recording }
}
