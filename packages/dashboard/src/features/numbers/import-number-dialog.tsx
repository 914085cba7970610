import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import type { NewNumberDialogProps } from './new-number-dialog.tsx'
import { PROVIDER_NAMES, PROVIDERS } from './number-draft.ts'

/** Loopback numbers are created, not imported. */
const CARRIERS = PROVIDERS.filter((provider) => provider !== 'loopback')

const EMPTY = { number: '', nickname: '', terminationUri: '', authUsername: '', authPassword: '' }
type Typed = typeof EMPTY

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** Brings a number that a carrier or a SIP trunk has, with what is needed to reach it. */
export function ImportNumberDialog({ onClose, onCreated }: NewNumberDialogProps) {
  const t = useText()
  const [typed, setTyped] = useState(EMPTY)
  const [provider, setProvider] = useState<(typeof CARRIERS)[number]>('sip')
  const bring = useWrite('importNumber', { refreshes: ['listNumbers'] })
  const type = (field: keyof Typed) => (text: string) => setTyped((before) => ({ ...before, [field]: text }))

  function submit(): void {
    const onSuccess: Parameters<typeof bring.mutate>[1] = {
      onSuccess: ({ value }) => {
        tell(t('The number is imported.'))
        onClose()
        onCreated(value)
      },
    }
    bring.mutate({ body: { provider, ...bodyOf(typed) } }, onSuccess)
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Import a number')}
      description={t('A number that you have at a carrier or behind a SIP trunk of your own.')}
      submitLabel={t('Import number')}
      isBusy={bring.isPending}
      canSubmit={typed.number.trim() !== ''}
      problem={bring.error}
      onSubmit={submit}
    >
      <FieldProblems details={bring.error?.details ?? []}>
        <TextField
          label={t('Number')}
          help={t('With “+” and the country code, such as +49 30 1234567.')}
          name="number"
          inputMode="tel"
          autoComplete="off"
          value={typed.number}
          onChange={type('number')}
        />
        <SelectField
          label={t('Provider')}
          name="provider"
          value={provider}
          onChange={setProvider}
          choices={CARRIERS.map((value) => ({ value, label: PROVIDER_NAMES[value] }))}
        />
        <TrunkFields typed={typed} type={type} isUriOptional={provider !== 'sip'} />
        <TextField
          label={t('Nickname')}
          name="nickname"
          isOptional
          maxLength={200}
          value={typed.nickname}
          onChange={type('nickname')}
        />
      </FieldProblems>
    </FormDialog>
  )
}

function bodyOf(typed: Typed) {
  return {
    number: typed.number.trim(),
    nickname: orNull(typed.nickname),
    terminationUri: orNull(typed.terminationUri),
    authUsername: orNull(typed.authUsername),
    authPassword: typed.authPassword === '' ? null : typed.authPassword,
  }
}

interface TrunkFieldsProps {
  readonly typed: Typed
  readonly type: (field: keyof Typed) => (text: string) => void
  readonly isUriOptional: boolean
}

/** How calls reach the carrier or the trunk. */
function TrunkFields({ typed, type, isUriOptional }: TrunkFieldsProps) {
  const t = useText()
  return (
    <>
      <TextField
        label={t('Termination URI')}
        help={t(
          'Where calls from the number are sent, such as sip:trunk.example.com:5060;transport=tls. SIP needs it.',
        )}
        name="terminationUri"
        isOptional={isUriOptional}
        autoComplete="off"
        spellCheck={false}
        value={typed.terminationUri}
        onChange={type('terminationUri')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('User name')}
          name="authUsername"
          isOptional
          autoComplete="off"
          spellCheck={false}
          value={typed.authUsername}
          onChange={type('authUsername')}
        />
        <TextField
          label={t('Password')}
          name="authPassword"
          isOptional
          type="password"
          autoComplete="new-password"
          value={typed.authPassword}
          onChange={type('authPassword')}
        />
      </div>
      <p className="text-muted">{t('User name and password are stored encrypted and never shown again.')}</p>
    </>
  )
}
