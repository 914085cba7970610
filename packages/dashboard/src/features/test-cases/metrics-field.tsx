import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '../../components/button.tsx'
import { TextAreaField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'

/** What must hold for a test to pass: a list of sentences. */
export function MetricsField({
  value,
  onChange,
  disabled,
}: {
  readonly value: readonly string[]
  readonly onChange: (value: string[]) => void
  readonly disabled: boolean
}) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {value.length === 0 && <p className="text-muted">{t('Nothing must hold yet: every conversation would pass.')}</p>}
      {value.map((metric, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sentence is what is being typed.
        <div key={index} className="flex min-w-0 items-start gap-2">
          <TextAreaField
            className="flex-1"
            label={t('Criterion {number}', { number: index + 1 })}
            name={`metrics[${index}]`}
            rows={2}
            value={metric}
            onChange={(text) => onChange(value.map((one, at) => (at === index ? text : one)))}
            disabled={disabled}
          />
          {!disabled && (
            <IconButton
              icon={Trash2}
              className="mt-6"
              label={t('Remove criterion {number}', { number: index + 1 })}
              onClick={() => onChange(value.filter((_one, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <Button kind="quiet" icon={Plus} className="w-fit" onClick={() => onChange([...value, ''])}>
          {t('Add a criterion')}
        </Button>
      )}
    </div>
  )
}
