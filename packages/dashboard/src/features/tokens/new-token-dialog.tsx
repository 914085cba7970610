import { SCOPES, type Scope } from '@parley/contract/access'
import type { NewApiToken } from '@parley/contract/token'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton, SecretOnce } from '../../components/copy-button.tsx'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { FieldProblems, useFieldProblem } from '../../components/field.tsx'
import { CheckField, SelectField, TextField } from '../../components/fields.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { now } from '../../lib/clock.ts'
import { message, useText } from '../../lib/language.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { ConfirmPasswordDialog } from './confirm-password-dialog.tsx'
import { EXPIRIES, EXPIRY_WORDS, type Expiry, expiresAtOf, isExpiryComplete } from './expiry.ts'

/** What a token with a scope may do, in words for `t`. */
const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  read: message('Read everything: agents, conversations, figures.'),
  write: message('Make, change and delete agents, prompts, flows, numbers and knowledge.'),
  calls: message('Hold calls and chats, and change them.'),
  admin: message('Administer: tokens, members, secrets, keys and workspaces.'),
}

/** Makes a token and shows it, this once. */
export function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const { scopes: ownScopes } = useSession()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(ownScopes)
  const [workspaceIds, setWorkspaceIds] = useState<readonly number[] | null>(null)
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [day, setDay] = useState('')
  const create = useWrite('createToken', { refreshes: ['listTokens'] })
  if (create.data) return <NewTokenShown token={create.data.value} onClose={onClose} />

  function submit(): void {
    create.mutate({
      body: {
        name,
        scopes: [...scopes],
        workspaceIds: workspaceIds === null ? null : [...workspaceIds],
        expiresAt: expiresAtOf(expiry, day, now()),
      },
    })
  }
  if (create.error?.code === 'reauthentication_required') {
    return <ConfirmPasswordDialog onConfirmed={submit} onClose={create.reset} />
  }

  const canSubmit =
    name.trim() !== '' && scopes.length > 0 && workspaceIds?.length !== 0 && isExpiryComplete(expiry, day)
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New token')}
      submitLabel={t('Create token')}
      isBusy={create.isPending}
      canSubmit={canSubmit}
      problem={create.error}
      onSubmit={submit}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField
          label={t('Name')}
          help={t('What the token is for, so that people know it again.')}
          name="name"
          value={name}
          onChange={setName}
          maxLength={200}
          autoComplete="off"
        />
        <ScopeChoice own={ownScopes} value={scopes} onChange={setScopes} />
        <WorkspaceChoice value={workspaceIds} onChange={setWorkspaceIds} />
        <ExpiryChoice expiry={expiry} onExpiry={setExpiry} day={day} onDay={setDay} />
      </FieldProblems>
    </FormDialog>
  )
}

interface ExpiryChoiceProps {
  readonly expiry: Expiry
  readonly onExpiry: (expiry: Expiry) => void
  readonly day: string
  readonly onDay: (day: string) => void
}

function ExpiryChoice({ expiry, onExpiry, day, onDay }: ExpiryChoiceProps) {
  const t = useText()
  return (
    <>
      <SelectField
        label={t('Stops working')}
        name="expiresAt"
        value={expiry}
        choices={EXPIRIES.map((value) => ({ value, label: t(EXPIRY_WORDS[value]) }))}
        onChange={onExpiry}
      />
      {expiry === 'date' && <TextField label={t('Last day')} type="date" value={day} onChange={onDay} />}
    </>
  )
}

function ScopeChoice({
  own,
  value,
  onChange,
}: {
  readonly own: readonly Scope[]
  readonly value: readonly Scope[]
  readonly onChange: (scopes: readonly Scope[]) => void
}) {
  const t = useText()
  const problem = useFieldProblem('scopes')
  return (
    <fieldset className="flex min-w-0 flex-col gap-0.5">
      <legend className="font-medium">{t('Scopes')}</legend>
      {SCOPES.filter((scope) => own.includes(scope)).map((scope) => (
        <CheckField
          key={scope}
          label={
            <>
              <code className="font-medium">{scope}</code> <span className="text-muted">{t(SCOPE_WORDS[scope])}</span>
            </>
          }
          value={value.includes(scope)}
          onChange={(isOn) => onChange(SCOPES.filter((one) => (one === scope ? isOn : value.includes(one))))}
        />
      ))}
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

function WorkspaceChoice({
  value,
  onChange,
}: {
  readonly value: readonly number[] | null
  readonly onChange: (workspaceIds: readonly number[] | null) => void
}) {
  const t = useText()
  const workspaces = useWorkspaces()
  const problem = useFieldProblem('workspaceIds')
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        label={t('Workspaces')}
        value={value === null ? 'all' : 'some'}
        choices={[
          { value: 'all', label: t('All that you reach, later ones too') },
          { value: 'some', label: t('Only these') },
        ]}
        onChange={(chosen) => onChange(chosen === 'all' ? null : [])}
      />
      {value !== null && (
        <fieldset className="max-h-56 overflow-y-auto rounded-md border border-line px-3 py-1">
          <legend className="sr-only">{t('Workspaces')}</legend>
          {workspaces.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              value={value.includes(id)}
              onChange={(isOn) => onChange(isOn ? [...value, id] : value.filter((one) => one !== id))}
            />
          ))}
        </fieldset>
      )}
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

/** A new token, this once, with a command that tries it. */
function NewTokenShown({
  token: { name, token },
  onClose,
}: {
  readonly token: NewApiToken
  readonly onClose: () => void
}) {
  const t = useText()
  const command = `curl -H "Authorization: Bearer ${token}" ${location.origin}/api/workspaces`
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('The token “{name}” is made', { name })}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <SecretOnce value={token} label={t('Token')} />
      <div className="flex min-w-0 flex-col gap-1.5">
        <h3 className="font-medium">{t('Try it')}</h3>
        <div className="flex items-start gap-2 rounded-md bg-sunken p-2 ps-3">
          <code dir="ltr" className="min-w-0 flex-1 self-center text-xs break-all">
            {command}
          </code>
          <CopyButton text={command} label={t('Copy the command')} />
        </div>
      </div>
    </Dialog>
  )
}
