import { clsx } from 'clsx'
import type { DiffLine, FieldDifference } from '../lib/difference.ts'
import { useText } from '../lib/language.ts'

const LINE_STYLES = {
  same: { mark: ' ', className: 'text-muted' },
  added: { mark: '+', className: 'bg-good-soft text-good' },
  removed: { mark: '−', className: 'bg-bad-soft text-bad' },
} as const

/** Compares two states of a record, field by field. */
export function DifferenceView({
  differences,
  getFieldName = (field) => field,
}: {
  readonly differences: readonly FieldDifference[]
  readonly getFieldName?: (field: string) => string
}) {
  const t = useText()
  if (differences.length === 0) return <p className="text-muted">{t('No changes')}</p>
  return (
    <div className="flex flex-col gap-4">
      {differences.map(({ field, lines }) => (
        <section key={field} aria-label={getFieldName(field)} className="min-w-0">
          <h3 className="mb-1 font-medium">{getFieldName(field)}</h3>
          <div className="overflow-hidden rounded-md border border-line font-mono text-xs">
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ID.
              <Line key={index} line={line} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  const t = useText()
  const { mark, className } = LINE_STYLES[kind]
  return (
    <div className={clsx('flex gap-2 px-2 py-0.5', className)}>
      <span aria-hidden="true" className="select-none">
        {mark}
      </span>
      {kind !== 'same' && <span className="sr-only">{kind === 'added' ? t('Added:') : t('Removed:')}</span>}
      <span dir="auto" className="min-w-0 flex-1 whitespace-pre-wrap">
        {text}
      </span>
    </div>
  )
}
