import { Plus } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'

/** Many more than this are no slip of the pen, and nobody reads them. */
const MOST_SHOWN = 20

/** Says in words which variables nothing fills: marks in a text are not seen by everybody. */
export function UnknownVariables({
  names,
  disabled,
  onAdd,
}: {
  readonly names: readonly string[]
  readonly disabled: boolean
  readonly onAdd: (name: string) => void
}) {
  const t = useText()
  if (names.length === 0) return null
  return (
    <section
      aria-label={t('Variables without a value')}
      className="flex flex-col gap-2 rounded-md bg-warn-soft px-3 py-2.5 text-warn"
    >
      <p>
        {t(
          '{count, plural, one {No value is known for this variable: it is given when a conversation is created, or stays as it is.} other {No value is known for these variables: they are given when a conversation is created, or stay as they are.}}',
          { count: names.length },
        )}
      </p>
      <ul className="flex flex-wrap gap-2">
        {names.slice(0, MOST_SHOWN).map((name) => (
          <li key={name} className="flex max-w-full min-w-0 items-center gap-1 rounded border border-current ps-2">
            <code className="min-w-0 truncate" dir="auto">
              {name}
            </code>
            {disabled ? (
              <span className="pe-2" />
            ) : (
              <Button
                kind="quiet"
                icon={Plus}
                className="hover:bg-transparent hover:underline"
                aria-label={t('Give {name} a default', { name })}
                onClick={() => onAdd(name)}
              >
                {t('Default')}
              </Button>
            )}
          </li>
        ))}
        {names.length > MOST_SHOWN && <li>…</li>}
      </ul>
    </section>
  )
}
