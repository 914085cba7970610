import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolSelect, ToolSwitch, ToolWords } from '../bound-fields.tsx'
import { useToolField } from '../tool-form.ts'

/** What is heard while the tool runs, and afterwards where its result can be talked about. */
export function SpeakingFields({ hasResult }: { readonly hasResult: boolean }) {
  const t = useText()
  const speaks = useToolField('speak_during_execution').value === true
  const type = useToolField('execution_message_type').value
  return (
    <FormGroup title={t('What is heard')}>
      <ToolSwitch
        path="speak_during_execution"
        label={t('Say a line before it runs')}
        help={t('So that nobody waits in silence.')}
      />
      {speaks && (
        <>
          <ToolSelect
            path="execution_message_type"
            label={t('The line')}
            absentLabel={t('Worded by the model (default)')}
            choices={[
              { value: 'prompt', label: t('Worded by the model') },
              { value: 'static_text', label: t('The same words every time') },
            ]}
          />
          <ToolWords
            path="execution_message_description"
            label={type === 'static_text' ? t('Words to say') : t('What the line shall say')}
            isOptional
          />
        </>
      )}
      <ToolSwitch path="enable_typing_sound" label={t('Play the sound of typing while it runs')} />
      {hasResult && (
        <ToolSwitch
          path="speak_after_execution"
          absent
          label={t('Answer once the result is there')}
          help={t('Off: the turn ends after the tool, if something was said before it and it did not fail.')}
        />
      )}
    </FormGroup>
  )
}
