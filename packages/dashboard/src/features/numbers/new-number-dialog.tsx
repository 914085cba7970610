import type { NumberProvider, PhoneNumber } from '@parley/contract/phone-number'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { PROVIDER_NAMES, PROVIDERS } from './number-draft.ts'

/** What a new number is asked for, whichever way it comes. */
export interface NewNumberDialogProps {
  readonly onClose: () => void
  readonly onCreated: (number: PhoneNumber) => void
}

/** Makes a number known. */
export function NewNumberDialog({ onClose, onCreated }: NewNumberDialogProps) {
  const t = useText()
  const [number, setNumber] = useState('')
  const [nickname, setNickname] = useState('')
  const [provider, setProvider] = useState<NumberProvider>('loopback')
  const create = useWrite('createNumber', { refreshes: ['listNumbers'] })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New number')}
      submitLabel={t('Create number')}
      isBusy={create.isPending}
      canSubmit={number.trim() !== ''}
      problem={create.error}
      onSubmit={() =>
        create.mutate(
          { body: { number: number.trim(), provider, nickname: nickname.trim() === '' ? null : nickname.trim() } },
          {
            onSuccess: ({ value }) => {
              tell(t('The number is created.'))
              onClose()
              onCreated(value)
            },
          },
        )
      }
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField
          label={t('Number')}
          help={t(
            'With “+” and the country code, such as +49 30 1234567. Loopback and SIP also take extensions of 2 to 6 digits.',
          )}
          name="number"
          inputMode="tel"
          autoComplete="off"
          value={number}
          onChange={setNumber}
        />
        <SelectField
          label={t('Provider')}
          help={t('Who carries its calls. Loopback numbers exist within this server only.')}
          name="provider"
          value={provider}
          onChange={setProvider}
          choices={PROVIDERS.map((value) => ({ value, label: PROVIDER_NAMES[value] }))}
        />
        <TextField
          label={t('Nickname')}
          name="nickname"
          isOptional
          maxLength={200}
          value={nickname}
          onChange={setNickname}
        />
      </FieldProblems>
    </FormDialog>
  )
}
