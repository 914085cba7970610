type Fields = Readonly<Record<string, unknown>>

const MODELS = /^sonic-(?:3\.5(?:-2026-05-04)?|3(?:-2026-01-12|-2025-10-27)?|latest)$/
const SAMPLE_RATES: readonly unknown[] = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]
/** Some of the documented emotions. */
const EMOTIONS: readonly unknown[] = ['neutral', 'calm', 'sympathetic', 'happy', 'sad', 'angry', 'scared', 'surprised']
const MAX_BUFFER_DELAY_MS = 5_000
/** Fields that must be the same in all messages of a context. */
const VARIABLE_FIELDS: readonly string[] = ['transcript', 'continue', 'flush']

/** Finds a violation of the wire format in a generation request. Returns null if there is none. */
export function findRequestProblem(fields: Fields): string | null {
  const { model_id: model, transcript, voice, language, locale, max_buffer_delay_ms: delayMs = 3_000 } = fields
  if (typeof model !== 'string' || !MODELS.test(model)) return 'model_id is unknown'
  if (typeof transcript !== 'string') return 'transcript is missing'
  const voiceId = typeof voice === 'string' ? voice : toFields(voice)?.id
  if (typeof voiceId !== 'string' || !/^[\w-]+$/.test(voiceId)) return 'voice is missing'
  if (language !== undefined && locale !== undefined) return 'language and locale exclude each other'
  if (language !== undefined && !/^[a-z]{2,3}$/.test(String(language))) return 'language is unknown'
  if (fields.continue !== undefined && typeof fields.continue !== 'boolean') return 'continue is not a boolean'
  if (!isWithin(delayMs, 0, MAX_BUFFER_DELAY_MS)) return 'max_buffer_delay_ms is out of range'
  return findOutputProblem(toFields(fields.output_format)) ?? findGenerationProblem(fields.generation_config)
}

function findOutputProblem(format: Fields | null): string | null {
  if (format?.container !== 'raw' || format.encoding !== 'pcm_s16le') return 'output_format is unsupported here'
  return SAMPLE_RATES.includes(format.sample_rate) ? null : 'sample_rate is unsupported'
}

function findGenerationProblem(config: unknown): string | null {
  if (config === undefined) return null
  const { speed = 1, volume = 1, emotion = 'neutral' } = toFields(config) ?? {}
  if (!isWithin(speed, 0.6, 1.5)) return 'speed is out of range'
  if (!isWithin(volume, 0.5, 2)) return 'volume is out of range'
  return EMOTIONS.includes(emotion) ? null : 'emotion is unknown'
}

/** Whether a continuation differs from the first message only where it can. */
export function isSameContext(first: Fields, next: Fields): boolean {
  const getFixedFields = (fields: Fields): string =>
    JSON.stringify(
      Object.entries(fields)
        .filter(([name]) => !VARIABLE_FIELDS.includes(name))
        .sort(),
    )
  return getFixedFields(first) === getFixedFields(next)
}

/** Splits a text into words; into characters for languages without spaces. */
export function splitWords(text: string, language: unknown): string[] {
  if (language === 'zh' || language === 'ja') return [...text].filter((character) => /\p{L}|\p{N}/u.test(character))
  return text.split(/\s+/).filter((word) => word !== '')
}

function toFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

function isWithin(value: unknown, minimum: number, maximum: number): boolean {
  return typeof value === 'number' && value >= minimum && value <= maximum
}
