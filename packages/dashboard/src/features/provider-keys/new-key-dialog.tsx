import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SelectField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { BaseUrlField, KeyField } from './key-fields.tsx'
import { type OwnerLevel, type Owners, ownerFields } from './owners.ts'
import { SERVICE_NAMES, SERVICE_USES, SERVICES, type Service } from './services.ts'

const LEVELS = ['workspace', 'account', 'provider'] as const satisfies readonly OwnerLevel[]

const LEVEL_WORDS: Readonly<Record<OwnerLevel, string>> = {
  workspace: message('One workspace'),
  account: message('All workspaces of an account'),
  provider: message('All accounts of a provider'),
}

const OWNER_LABELS: Readonly<Record<OwnerLevel, string>> = {
  workspace: message('Workspace'),
  account: message('Account'),
  provider: message('Provider'),
}

/** Stores a key. */
export function NewKeyDialog({ owners, onClose }: { readonly owners: Owners; readonly onClose: () => void }) {
  const t = useText()
  const [service, setService] = useState<Service>('openai')
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [{ level, chosenId }, setOwner] = useState<ChosenOwner>({ level: 'workspace', chosenId: null })
  const create = useWrite('createProviderKey', { refreshes: ['listProviderKeys', 'listVoices'] })
  const ownerId = chosenId ?? owners.current[level]

  function submit(): void {
    if (ownerId === null) return
    const address = baseUrl.trim() === '' ? null : baseUrl.trim()
    const body = { service, apiKey: apiKey.trim(), baseUrl: address, ...ownerFields(level, ownerId) }
    const onSuccess = (): void => {
      tell(t('The key is stored. Conversations use it from their next turn on.'))
      onClose()
    }
    create.mutate({ body }, { onSuccess })
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Add a provider key')}
      submitLabel={t('Store key')}
      isBusy={create.isPending}
      canSubmit={apiKey.trim() !== '' && ownerId !== null}
      problem={create.error}
      onSubmit={submit}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <SelectField
          label={t('Service')}
          help={t(SERVICE_USES[service])}
          name="service"
          value={service}
          choices={SERVICES.map((value) => ({ value, label: SERVICE_NAMES[value] }))}
          onChange={setService}
        />
        <KeyField value={apiKey} onChange={setApiKey} />
        <BaseUrlField value={baseUrl} onChange={setBaseUrl} />
        <OwnerFields
          owners={owners}
          level={level}
          ownerId={ownerId}
          onChange={(chosen) => setOwner((before) => ({ ...before, ...chosen }))}
        />
      </FieldProblems>
    </FormDialog>
  )
}

interface ChosenOwner {
  readonly level: OwnerLevel
  /** Null: the one of this workspace. */
  readonly chosenId: string | null
}

interface OwnerFieldsProps {
  readonly owners: Owners
  readonly level: OwnerLevel
  readonly ownerId: string | null
  readonly onChange: (chosen: Partial<ChosenOwner>) => void
}

function OwnerFields({ owners, level, ownerId, onChange }: OwnerFieldsProps) {
  const t = useText()
  const levels = LEVELS.filter((one) => owners.choices[one].length > 0)
  return (
    <>
      {levels.length > 1 && (
        <SelectField
          label={t('For')}
          help={t('A workspace uses its own key, else that of its account, of its provider, of the server.')}
          value={level}
          choices={levels.map((value) => ({ value, label: t(LEVEL_WORDS[value]) }))}
          onChange={(chosen) => onChange({ level: chosen, chosenId: null })}
        />
      )}
      {owners.choices[level].length > 1 && (
        <RecordField
          label={t(OWNER_LABELS[level])}
          name={level === 'workspace' ? 'workspaceId' : level === 'account' ? 'tenantId' : 'providerId'}
          value={ownerId}
          choices={owners.choices[level]}
          onChange={(chosenId) => onChange({ chosenId })}
        />
      )}
    </>
  )
}
