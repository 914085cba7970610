import { NumberField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'

const MOST_PERCENT = 1_000

/** What a provider adds to the cost of conversations; nothing is 0. */
export function MarkupField({
  value,
  onChange,
}: {
  readonly value: number | null
  readonly onChange: (percent: number | null) => void
}) {
  const t = useText()
  return (
    <NumberField
      label={t('Markup')}
      help={t('Percent that are added to what conversations cost its accounts, for those that begin from now on.')}
      name="markupPercent"
      unit="%"
      minimum={0}
      maximum={MOST_PERCENT}
      step={0.1}
      value={value}
      onChange={onChange}
    />
  )
}
