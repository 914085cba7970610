import { TextAreaField } from '../../../components/fields.tsx'
import { Panel } from '../../../components/page.tsx'
import { LinesField } from '../../../components/strings-field.tsx'
import { useText } from '../../../lib/language.ts'
import { EXAMPLES, type SharedPartProps } from './agent-part.ts'

/** What happens when the model fails. */
export function FallbackSettings({ value, onChange, disabled }: SharedPartProps) {
  const t = useText()
  return (
    <Panel title={t('When the model fails')}>
      <LinesField
        label={t('Models to try then')}
        name="fallback_models"
        isOptional
        help={t('In this order, one in a line, at most five.')}
        placeholder={EXAMPLES.model}
        disabled={disabled}
        value={value.fallback_models}
        onChange={(models) => onChange({ fallback_models: models })}
      />
      <TextAreaField
        label={t('What is said when all of them fail')}
        name="fallback_message"
        isOptional
        help={t('May hold variables. Left empty, the request for an answer fails.')}
        rows={2}
        disabled={disabled}
        value={value.fallback_message ?? ''}
        onChange={(text) => onChange({ fallback_message: text === '' ? null : text })}
      />
    </Panel>
  )
}
