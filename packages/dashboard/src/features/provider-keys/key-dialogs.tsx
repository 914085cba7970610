import type { ProviderKey, ProviderKeyTest } from '@parley/contract/provider-key'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { message, useText } from '../../lib/language.ts'
import { VENDOR_NAMES } from '../../lib/vendor-names.ts'
import { type OwnerLevel, type Owners, toOwnerFields } from './owners.ts'

type Service = ProviderKey['service']

const SERVICES = ['openai', 'anthropic', 'deepgram', 'elevenlabs', 'cartesia'] as const satisfies readonly Service[]

const MODELS_LABEL = message('Language models')
const MODELS_AND_SPEECH_LABEL = message('Language models, voices and speech recognition')
const SPEECH_LABEL = message('Voices and speech recognition')
const VOICES_LABEL = message('Voices')
const SERVICE_DESCRIPTIONS: Readonly<Record<Service, string>> = {
  openai: MODELS_AND_SPEECH_LABEL,
  anthropic: MODELS_LABEL,
  deepgram: SPEECH_LABEL,
  elevenlabs: SPEECH_LABEL,
  cartesia: VOICES_LABEL,
}

const LEVELS = ['workspace', 'account', 'provider'] as const satisfies readonly OwnerLevel[]

const LEVEL_LABELS: Readonly<Record<OwnerLevel, string>> = {
  workspace: message('One workspace'),
  account: message('All workspaces of an account'),
  provider: message('All accounts of a provider'),
}

const OWNER_LABELS: Readonly<Record<OwnerLevel, string>> = {
  workspace: message('Workspace'),
  account: message('Account'),
  provider: message('Provider'),
}

const URL_PLACEHOLDER = 'https://'
const INVALIDATED_OPERATIONS = ['listProviderKeys', 'listVoices'] as const

interface TextInputProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

function KeyField({ isOptional = false, ...textProps }: TextInputProps & { readonly isOptional?: boolean }) {
  const t = useText()
  return (
    <TextField
      label={t('API key')}
      help={t('Stored encrypted. You won’t be able to see it again.')}
      name="apiKey"
      type="password"
      autoComplete="off"
      spellCheck={false}
      isOptional={isOptional}
      {...textProps}
    />
  )
}

function BaseUrlField(textProps: TextInputProps) {
  const t = useText()
  return (
    <TextField
      label={t('Base URL')}
      help={t('Only needed if you host a compatible server.')}
      name="baseUrl"
      type="url"
      autoComplete="off"
      spellCheck={false}
      isOptional
      placeholder={URL_PLACEHOLDER}
      {...textProps}
    />
  )
}

interface SelectedOwner {
  readonly level: OwnerLevel
  /** Null selects the current workspace, its account, or the first provider. */
  readonly selectedId: string | null
}

export function NewKeyDialog({ owners, onClose }: { readonly owners: Owners; readonly onClose: () => void }) {
  const t = useText()
  const [service, setService] = useState<Service>('openai')
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState('')
  const [{ level, selectedId }, setOwner] = useState<SelectedOwner>({ level: 'workspace', selectedId: null })
  const ownerId = selectedId ?? owners.defaultIds[level]
  const levels = LEVELS.filter((ownerLevel) => owners.choices[ownerLevel].length > 0)
  return (
    <OperationDialog
      operation="createProviderKey"
      params={{
        body: {
          service,
          apiKey: apiKey.trim(),
          baseUrl: baseUrl.trim() || null,
          ...toOwnerFields(level, ownerId ?? ''),
        },
      }}
      invalidates={INVALIDATED_OPERATIONS}
      title={t('Add provider key')}
      submitLabel={t('Save key')}
      canSubmit={apiKey.trim() !== '' && ownerId !== null}
      successMessage={t('Key saved. Conversations use it from their next turn.')}
      onClose={onClose}
    >
      <SelectField
        label={t('Service')}
        help={t(SERVICE_DESCRIPTIONS[service])}
        name="service"
        value={service}
        choices={SERVICES.map((value) => ({ value, label: VENDOR_NAMES[value] }))}
        onChange={setService}
      />
      <KeyField value={apiKey} onChange={setApiKey} />
      <BaseUrlField value={baseUrl} onChange={setBaseUrl} />
      {levels.length > 1 && (
        <SelectField
          label={t('Scope')}
          help={t('A workspace uses its own key first, then its account’s, its provider’s and the server’s.')}
          value={level}
          choices={levels.map((value) => ({ value, label: t(LEVEL_LABELS[value]) }))}
          onChange={(selectedLevel) => setOwner({ level: selectedLevel, selectedId: null })}
        />
      )}
      {owners.choices[level].length > 1 && (
        <RecordField
          label={t(OWNER_LABELS[level])}
          name={level === 'workspace' ? 'workspaceId' : level === 'account' ? 'tenantId' : 'providerId'}
          value={ownerId}
          choices={owners.choices[level]}
          onChange={(id) => setOwner({ level, selectedId: id })}
        />
      )}
    </OperationDialog>
  )
}

interface KeyDialogProps {
  readonly providerKey: ProviderKey
  readonly onClose: () => void
}

/** Replaces the stored key or its base URL. */
export function ReplaceKeyDialog({ providerKey, onClose }: KeyDialogProps) {
  const { providerKeyId, service, lastFour, baseUrl: storedUrl } = providerKey
  const t = useText()
  const [apiKey, setApiKey] = useState('')
  const [baseUrl, setBaseUrl] = useState(storedUrl ?? '')
  const newUrl = baseUrl.trim() || null
  const changes = {
    ...(apiKey.trim() !== '' && { apiKey: apiKey.trim() }),
    ...(newUrl !== storedUrl && { baseUrl: newUrl }),
  }
  return (
    <OperationDialog
      operation="updateProviderKey"
      params={{ path: { providerKeyId }, body: changes }}
      invalidates={INVALIDATED_OPERATIONS}
      title={t('Replace {name} key', { name: VENDOR_NAMES[service] })}
      description={t(
        'The stored key ends with {lastFour}. Leave the field empty to keep it. If the new base URL is on another server, enter the key again.',
        { lastFour },
      )}
      submitLabel={t('Save')}
      canSubmit={Object.keys(changes).length > 0}
      successMessage={t('Key replaced')}
      onClose={onClose}
    >
      <KeyField isOptional value={apiKey} onChange={setApiKey} />
      <BaseUrlField value={baseUrl} onChange={setBaseUrl} />
    </OperationDialog>
  )
}

/** Tests the stored key at its service, then displays the result. */
export function TestKeyDialog({ providerKey: { providerKeyId, service }, onClose }: KeyDialogProps) {
  const t = useText()
  const title = t('Test {name} key', { name: VENDOR_NAMES[service] })
  return (
    <OperationDialog
      operation="testProviderKey"
      params={{ path: { providerKeyId } }}
      title={title}
      description={t('Sends one request with the key to its service. The request costs nothing.')}
      submitLabel={t('Test key')}
      onClose={onClose}
      renderResult={(result) => <TestResultDialog title={title} result={result} onClose={onClose} />}
    />
  )
}

interface TestResultProps {
  readonly title: string
  readonly result: ProviderKeyTest
  readonly onClose: () => void
}

function TestResultDialog({ title, result: { ok, message: text, latencyMs }, onClose }: TestResultProps) {
  const t = useText()
  return (
    <Dialog open onOpenChange={onClose} title={title} actions={<Button onClick={onClose}>{t('Close')}</Button>}>
      <div role="status" className="flex flex-col gap-2">
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? t('Key works') : t('Key does not work')}</Badge>
        <p dir="auto">{text}</p>
        <p className="text-muted">{t('Response time: {milliseconds} ms', { milliseconds: latencyMs })}</p>
      </div>
    </Dialog>
  )
}

export function DeleteKeyDialog({ providerKey: { providerKeyId, service }, onClose }: KeyDialogProps) {
  const t = useText()
  return (
    <ConfirmDialog
      operation="deleteProviderKey"
      params={{ path: { providerKeyId } }}
      invalidates={INVALIDATED_OPERATIONS}
      title={t('Delete {name} key?', { name: VENDOR_NAMES[service] })}
      description={t('Workspaces that used this key fall back to the next inherited key, if there is one.')}
      label={t('Delete key')}
      successMessage={t('Key deleted')}
      onClose={onClose}
    />
  )
}
