import { SCOPES, type Scope } from '@parley/contract/access'
import type { NewApiToken } from '@parley/contract/token'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton, OneTimeSecret } from '../../components/copy-button.tsx'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { FieldProblems, useFieldProblem } from '../../components/field.tsx'
import { CheckField, SelectField, TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { now } from '../../lib/clock.ts'
import { message, useText } from '../../lib/language.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import {
  calculateExpiresAt,
  DEFAULT_EXPIRY,
  EXPIRY_LABELS,
  EXPIRY_OPTIONS,
  type Expiry,
  isExpiryComplete,
} from './expiry.ts'

/** Catalog messages. */
const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  read: message('View everything.'),
  write: message('Create, edit and delete agents, prompts, flows, numbers and knowledge bases.'),
  calls: message('Start and update calls and chats.'),
  admin: message('Manage tokens, members, secrets, keys and workspaces.'),
}

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'calls']

/** Creates a token and displays it once. */
export function NewTokenDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const { scopes: userScopes } = useSession()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>(() =>
    DEFAULT_SCOPES.filter((scope) => userScopes.includes(scope)),
  )
  const [workspaceIds, setWorkspaceIds] = useState<readonly number[] | null>(null)
  const [expiry, setExpiry] = useState<Expiry>(DEFAULT_EXPIRY)
  const [day, setDay] = useState('')
  const createToken = useWrite('createToken', { invalidates: ['listTokens'] })
  if (createToken.data) return <CreatedToken token={createToken.data.value} onClose={onClose} />

  function submit(): void {
    createToken.mutate({
      body: {
        name,
        scopes: [...scopes],
        workspaceIds: workspaceIds === null ? null : [...workspaceIds],
        expiresAt: calculateExpiresAt(expiry, day, now()),
      },
    })
  }
  if (createToken.error?.code === 'reauthentication_required') {
    return <ConfirmPasswordDialog onConfirmed={submit} onClose={createToken.reset} />
  }

  const canSubmit =
    name.trim() !== '' && scopes.length > 0 && workspaceIds?.length !== 0 && isExpiryComplete(expiry, day)
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New token')}
      submitLabel={t('Create token')}
      isBusy={createToken.isPending}
      canSubmit={canSubmit}
      problem={createToken.error}
      onSubmit={submit}
    >
      <FieldProblems details={createToken.error?.details ?? []}>
        <TextField
          label={t('Name')}
          help={t('Describe what this token is for.')}
          name="name"
          value={name}
          onChange={setName}
          maxLength={200}
          autoComplete="off"
        />
        <ScopeFields userScopes={userScopes} value={scopes} onChange={setScopes} />
        <WorkspaceFields value={workspaceIds} onChange={setWorkspaceIds} />
        <SelectField
          label={t('Expires')}
          name="expiresAt"
          value={expiry}
          choices={EXPIRY_OPTIONS.map((value) => ({ value, label: t(EXPIRY_LABELS[value]) }))}
          onChange={setExpiry}
        />
        {expiry === 'date' && <TextField label={t('Last day')} type="date" value={day} onChange={setDay} />}
      </FieldProblems>
    </FormDialog>
  )
}

interface ScopeFieldsProps {
  readonly userScopes: readonly Scope[]
  readonly value: readonly Scope[]
  readonly onChange: (scopes: readonly Scope[]) => void
}

function ScopeFields({ userScopes, value, onChange }: ScopeFieldsProps) {
  const t = useText()
  return (
    <fieldset className="flex min-w-0 flex-col gap-0.5">
      <legend className="font-medium">{t('Scopes')}</legend>
      {SCOPES.filter((scope) => userScopes.includes(scope)).map((scope) => (
        <CheckField
          key={scope}
          label={
            <>
              <code className="font-medium">{scope}</code> <span className="text-muted">{t(SCOPE_LABELS[scope])}</span>
            </>
          }
          value={value.includes(scope)}
          onChange={(isChecked) =>
            onChange(SCOPES.filter((item) => (item === scope ? isChecked : value.includes(item))))
          }
        />
      ))}
      <FieldProblem name="scopes" />
    </fieldset>
  )
}

interface WorkspaceFieldsProps {
  /** Null selects all workspaces. */
  readonly value: readonly number[] | null
  readonly onChange: (workspaceIds: readonly number[] | null) => void
}

function WorkspaceFields({ value, onChange }: WorkspaceFieldsProps) {
  const t = useText()
  const workspaces = useWorkspaces()
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        label={t('Workspaces')}
        value={value === null ? 'all' : 'some'}
        choices={[
          { value: 'all', label: t('All, including future ones') },
          { value: 'some', label: t('Selected workspaces') },
        ]}
        onChange={(selectedOption) => onChange(selectedOption === 'all' ? null : [])}
      />
      {value !== null && (
        <fieldset className="max-h-56 overflow-y-auto rounded-md border border-line px-3 py-1">
          <legend className="sr-only">{t('Workspaces')}</legend>
          {workspaces.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              value={value.includes(id)}
              onChange={(isChecked) =>
                onChange(isChecked ? [...value, id] : value.filter((workspaceId) => workspaceId !== id))
              }
            />
          ))}
        </fieldset>
      )}
      <FieldProblem name="workspaceIds" />
    </div>
  )
}

function FieldProblem({ name }: { readonly name: string }): ReactNode {
  const problem = useFieldProblem(name)
  return (
    problem && (
      <p role="alert" className="text-bad">
        {problem}
      </p>
    )
  )
}

interface ConfirmPasswordDialogProps {
  readonly onConfirmed: () => void
  readonly onClose: () => void
}

/** Asks for the password again. The server creates tokens only for users who recently entered their password. */
function ConfirmPasswordDialog({ onConfirmed, onClose }: ConfirmPasswordDialogProps) {
  const t = useText()
  const [password, setPassword] = useState('')
  return (
    <OperationDialog
      operation="confirmPassword"
      params={{ body: { password } }}
      title={t('Confirm your password')}
      description={t('You signed in a while ago. Enter your password to create the token.')}
      submitLabel={t('Confirm')}
      canSubmit={password !== ''}
      onClose={onClose}
      onSuccess={onConfirmed}
    >
      <TextField
        label={t('Password')}
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={setPassword}
      />
    </OperationDialog>
  )
}

interface CreatedTokenProps {
  readonly token: NewApiToken
  readonly onClose: () => void
}

function CreatedToken({ token: { token }, onClose }: CreatedTokenProps) {
  const t = useText()
  const command = `curl -H "Authorization: Bearer ${token}" ${location.origin}/api/workspaces`
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Token created')}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <OneTimeSecret value={token} label={t('Token')} />
      <div className="flex min-w-0 flex-col gap-1.5">
        <h3 className="font-medium">{t('Try it')}</h3>
        <div className="flex items-start gap-2 rounded-md bg-sunken p-2 ps-3">
          <code dir="ltr" className="min-w-0 flex-1 self-center text-xs break-all">
            {command}
          </code>
          <CopyButton text={command} label={t('Copy command')} />
        </div>
      </div>
    </Dialog>
  )
}
