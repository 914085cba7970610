import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SelectField, SwitchField, TextAreaField } from '../../components/fields.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

type Way = 'say' | 'inject'

/** Lets the agent of a live call say something, or tells it something that the caller does not hear. */
export function SpeakDialog({ callId, onClose }: { readonly callId: string; readonly onClose: () => void }) {
  const t = useText()
  const control = useWrite('controlCall')
  const [way, setWay] = useState<Way>('say')
  const [text, setText] = useState('')
  const [isInterruptible, setIsInterruptible] = useState(true)
  const [responds, setResponds] = useState(true)
  const body =
    way === 'say' ? { say: { text, interruptible: isInterruptible } } : { inject: { text, respond: responds } }
  const onSuccess = (): void => {
    tell(way === 'say' ? t('The agent says it.') : t('The agent was told.'))
    onClose()
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Step into the call')}
      submitLabel={way === 'say' ? t('Say it') : t('Tell the agent')}
      isBusy={control.isPending}
      canSubmit={text.trim() !== ''}
      problem={control.error}
      onSubmit={() => control.mutate({ path: { callId }, body }, { onSuccess })}
    >
      <FieldProblems details={control.error?.details ?? []}>
        <SelectField
          label={t('Who shall hear it')}
          value={way}
          choices={[
            { value: 'say', label: t('The caller: the agent says it') },
            { value: 'inject', label: t('The agent only') },
          ]}
          onChange={setWay}
        />
        <TextAreaField
          key={way}
          label={t('Text')}
          name={`${way}.text`}
          help={way === 'say' ? t('Spoken as it is.') : t('The caller does not hear it.')}
          value={text}
          onChange={setText}
        />
        {way === 'say' ? (
          <SwitchField label={t('The caller may interrupt it')} value={isInterruptible} onChange={setIsInterruptible} />
        ) : (
          <SwitchField
            label={t('The agent reacts at once')}
            help={t('Otherwise it takes it into account in its next turn.')}
            value={responds}
            onChange={setResponds}
          />
        )}
      </FieldProblems>
    </FormDialog>
  )
}
