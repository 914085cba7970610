/** Labels of recordings, which name what happens in them. */

const RECORDED_KINDS = ['backchannel', 'interruption', 'noise', 'other-people', 'pause', 'question'] as const
export type RecordedKind = (typeof RECORDED_KINDS)[number]

export interface RecordingLabel {
  readonly file: string
  readonly kind: RecordedKind
  readonly startMs: number
  readonly endMs: number
  /** Spoken words, or an empty text if a recognizer returns nothing. For pauses, `|` marks the pause. */
  readonly text: string
  /** The pause inside the sentence, for the kind `pause`. */
  readonly pause: { readonly startMs: number; readonly endMs: number } | null
  /** Level relative to the caller's speech; null for the default of the kind. */
  readonly levelDb: number | null
}

const REQUIRED_COLUMNS = ['file', 'kind', 'start_ms', 'end_ms'] as const

/** Reads tab-separated labels with a line of column names. Throws with the line of the first problem. */
export function readLabels(source: string): RecordingLabel[] {
  const [head = '', ...lines] = source.split(/\r?\n/)
  const columns = head.split('\t').map((name) => name.trim())
  for (const name of REQUIRED_COLUMNS) if (!columns.includes(name)) throw new Error(`The column "${name}" is missing.`)
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const cells = line.split('\t')
    const fields = new Map(columns.map((name, column) => [name, (cells[column] ?? '').trim()]))
    const label = readLabel(fields)
    if (typeof label === 'string') throw new Error(`Line ${index + 2}: ${label}`)
    return [label]
  })
}

/** Returns a sentence for an invalid line. */
function readLabel(fields: ReadonlyMap<string, string>): RecordingLabel | string {
  const readNumber = (name: string): number | null => {
    const text = fields.get(name) ?? ''
    return text === '' ? null : Number(text)
  }
  const kind = RECORDED_KINDS.find((name) => name === fields.get('kind'))
  if (kind === undefined) return `kind is one of: ${RECORDED_KINDS.join(', ')}.`
  const startMs = readNumber('start_ms')
  const endMs = readNumber('end_ms')
  if (startMs === null || endMs === null || !(startMs >= 0 && endMs > startMs)) return 'start_ms is before end_ms.'
  const levelDb = readNumber('level_db')
  if (Number.isNaN(levelDb)) return 'level_db is a number.'
  const pauseStartMs = readNumber('pause_start_ms')
  const pauseEndMs = readNumber('pause_end_ms')
  const base = { file: fields.get('file') ?? '', kind, startMs, endMs, text: fields.get('text') ?? '', levelDb }
  if (kind !== 'pause') return { ...base, pause: null }
  const isInside =
    pauseStartMs !== null &&
    pauseEndMs !== null &&
    pauseStartMs > startMs &&
    pauseEndMs > pauseStartMs &&
    pauseEndMs < endMs
  if (!isInside) return 'A pause needs pause_start_ms and pause_end_ms inside the sentence.'
  if (base.text.split('|').length !== 2) return 'The text of a pause has one "|" at the pause.'
  return { ...base, pause: { startMs: pauseStartMs, endMs: pauseEndMs } }
}
