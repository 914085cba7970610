import type { NumberProvider, PhoneNumber } from '@parley/contract/phone-number'
import { useState } from 'react'
import { SelectField, TextField } from '../../components/fields.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { useText } from '../../lib/language.ts'
import { PROVIDER_NAMES, PROVIDERS } from './number-draft.ts'

interface NewNumberProps {
  readonly onClose: () => void
  readonly onCreated: (number: PhoneNumber) => void
}

const toNullIfEmpty = (text: string): string | null => (text.trim() === '' ? null : text.trim())

export function NewNumberDialog({ onClose, onCreated }: NewNumberProps) {
  const t = useText()
  const [number, setNumber] = useState('')
  const [nickname, setNickname] = useState('')
  const [provider, setProvider] = useState<NumberProvider>('loopback')
  return (
    <OperationDialog
      operation="createNumber"
      params={{ body: { number: number.trim(), provider, nickname: toNullIfEmpty(nickname) } }}
      invalidates={['listNumbers']}
      title={t('New number')}
      submitLabel={t('Create number')}
      canSubmit={number.trim() !== ''}
      successMessage={t('Number created')}
      onClose={onClose}
      onSuccess={onCreated}
    >
      <TextField
        label={t('Number')}
        help={t('E.164 format, such as +49 30 1234567. Loopback and SIP also accept extensions of 2 to 6 digits.')}
        name="number"
        inputMode="tel"
        autoComplete="off"
        value={number}
        onChange={setNumber}
      />
      <SelectField
        label={t('Carrier')}
        help={t('Loopback numbers exist only on this server.')}
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
    </OperationDialog>
  )
}

/** Loopback numbers are created, not imported. */
const CARRIERS = PROVIDERS.filter((provider) => provider !== 'loopback')

const EMPTY_IMPORT = { number: '', nickname: '', terminationUri: '', authUsername: '', authPassword: '' }

/** Imports a number from a carrier or SIP trunk. */
export function ImportNumberDialog({ onClose, onCreated }: NewNumberProps) {
  const t = useText()
  const [values, setValues] = useState(EMPTY_IMPORT)
  const [provider, setProvider] = useState<(typeof CARRIERS)[number]>('sip')
  const buildFieldProps = (name: keyof typeof EMPTY_IMPORT) => ({
    name,
    value: values[name],
    onChange: (text: string) => setValues((current) => ({ ...current, [name]: text })),
  })
  const body = {
    provider,
    number: values.number.trim(),
    nickname: toNullIfEmpty(values.nickname),
    terminationUri: toNullIfEmpty(values.terminationUri),
    authUsername: toNullIfEmpty(values.authUsername),
    authPassword: values.authPassword === '' ? null : values.authPassword,
  }
  return (
    <OperationDialog
      operation="importNumber"
      params={{ body }}
      invalidates={['listNumbers']}
      title={t('Import number')}
      description={t('Connect a number from a carrier or SIP trunk.')}
      submitLabel={t('Import number')}
      canSubmit={body.number !== ''}
      successMessage={t('Number imported')}
      onClose={onClose}
      onSuccess={onCreated}
    >
      <TextField
        label={t('Number')}
        help={t('E.164 format, such as +49 30 1234567.')}
        inputMode="tel"
        autoComplete="off"
        {...buildFieldProps('number')}
      />
      <SelectField
        label={t('Carrier')}
        name="provider"
        value={provider}
        onChange={setProvider}
        choices={CARRIERS.map((value) => ({ value, label: PROVIDER_NAMES[value] }))}
      />
      <TextField
        label={t('Termination URI')}
        help={t('Where outbound calls are sent, such as sip:trunk.example.com:5060;transport=tls. Required for SIP.')}
        isOptional={provider !== 'sip'}
        autoComplete="off"
        spellCheck={false}
        {...buildFieldProps('terminationUri')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('Username')}
          isOptional
          autoComplete="off"
          spellCheck={false}
          {...buildFieldProps('authUsername')}
        />
        <TextField
          label={t('Password')}
          isOptional
          type="password"
          autoComplete="new-password"
          {...buildFieldProps('authPassword')}
        />
      </div>
      <p className="text-muted">{t('Credentials are stored encrypted and never shown again.')}</p>
      <TextField label={t('Nickname')} isOptional maxLength={200} {...buildFieldProps('nickname')} />
    </OperationDialog>
  )
}

interface DeleteNumberProps {
  readonly number: string
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteNumberDialog({ number, onClose, onDeleted }: DeleteNumberProps) {
  const t = useText()
  return (
    <ConfirmDialog
      operation="deleteNumber"
      params={{ path: { number } }}
      invalidates={['listNumbers']}
      title={t('Delete number?')}
      description={t('Agent assignments and hours are permanently deleted. The number stays with its carrier.')}
      name={number}
      label={t('Delete number')}
      successMessage={t('Number deleted')}
      onClose={onClose}
      {...(onDeleted && { onSuccess: onDeleted })}
    />
  )
}
