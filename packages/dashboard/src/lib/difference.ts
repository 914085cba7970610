import { diffLines } from 'diff'
import { listChangedFields } from './editing/draft-state.ts'

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

export interface FieldDifference {
  readonly field: string
  readonly lines: readonly DiffLine[]
}

/** Number of unchanged lines displayed around a change. */
const CONTEXT_LINES = 3

/** Returns text unchanged and formats other values as indented JSON. */
function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value, null, 2)
}

/** Lists all fields that differ, except for the `ignored` fields. */
export function listDifferences<Value extends object>(
  from: Value,
  to: Value,
  ignoredFields: ReadonlySet<string> = new Set(),
): FieldDifference[] {
  return listChangedFields(from, to)
    .map(String)
    .filter((field) => !ignoredFields.has(field))
    .map((field) => ({
      field,
      lines: diffTexts(formatValue(from[field as keyof Value]), formatValue(to[field as keyof Value])),
    }))
}

function diffTexts(from: string, to: string): DiffLine[] {
  const parts = diffLines(addNewline(from), addNewline(to))
  return collapseUnchangedLines(
    parts.flatMap(({ value, added, removed }): DiffLine[] => {
      const kind = added ? 'added' : removed ? 'removed' : 'same'
      return value
        .replace(/\n$/, '')
        .split('\n')
        .map((text) => ({ kind, text }))
    }),
  )
}

const addNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** Replaces each long unchanged section with an ellipsis. */
function collapseUnchangedLines(lines: readonly DiffLine[]): DiffLine[] {
  const isNearChange = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== 'same'),
  )
  return lines.flatMap((line, index) => {
    if (isNearChange[index]) return [line]
    return isNearChange[index - 1] === true || index === 0 ? [{ kind: 'same', text: '⋯' } as const] : []
  })
}

/** Version metadata, ignored in comparisons. */
export const VERSION_FIELDS: ReadonlySet<string> = new Set([
  'version',
  'is_published',
  'is_frozen',
  'is_active',
  'version_title',
  'version_description',
  'created_at',
  'updated_at',
  'warnings',
])
