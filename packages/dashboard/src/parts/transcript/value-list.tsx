import { useText } from '../../lib/language.ts'
import { type FreeObject, printValue } from './free-object.ts'

/** More of an object than this is not read as a list. */
const MOST_SHOWN = 200

/** The names and values of an object. */
export function ValueList({ value }: { readonly value: FreeObject }) {
  const t = useText()
  const entries = Object.entries(value)
  if (entries.length === 0) return <p className="text-muted">{t('Nothing is stored.')}</p>
  return (
    <>
      <dl className="flex flex-col divide-y divide-line">
        {entries.slice(0, MOST_SHOWN).map(([name, one]) => (
          <div key={name} className="grid gap-x-4 py-1.5 sm:grid-cols-[minmax(6rem,2fr)_3fr]">
            <dt dir="auto" className="min-w-0 text-muted">
              {name}
            </dt>
            <dd dir="auto" className="max-h-40 min-w-0 overflow-y-auto whitespace-pre-wrap">
              {printValue(one)}
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > MOST_SHOWN && (
        <p className="text-muted">
          {t('{count, plural, one {# more value is} other {# more values are}} in the JSON below.', {
            count: entries.length - MOST_SHOWN,
          })}
        </p>
      )}
    </>
  )
}
