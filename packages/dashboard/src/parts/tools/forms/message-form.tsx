import { SelectField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolWords } from '../bound-fields.tsx'
import { useToolField, useVariant } from '../tool-form.ts'

const CONTENT = 'sms_content'

/** Writes a text message. */
export function MessageForm() {
  const t = useText()
  const { type, choose, ...field } = useVariant(CONTENT)
  const whole = useToolField(CONTENT)
  return (
    <FormGroup title={t('Text message')}>
      <SelectField
        {...field}
        label={t('Its text')}
        value={type}
        choices={[
          { value: 'predefined', label: t('The same words every time') },
          { value: 'inferred', label: t('Words of the model') },
          { value: 'template', label: t('A link to collect details') },
        ]}
        onChange={(chosen) => {
          choose(chosen)
          if (chosen === 'template') whole.set({ type: chosen, template: 'info_collection' })
        }}
      />
      {type === 'predefined' && <ToolWords path={`${CONTENT}.text`} label={t('Text')} />}
      {type === 'inferred' && <ToolWords path={`${CONTENT}.prompt`} label={t('Instruction')} />}
    </FormGroup>
  )
}
