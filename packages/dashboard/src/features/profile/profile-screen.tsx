import type { Scope } from '@parley/contract/access'
import { Link } from '@tanstack/react-router'
import { Ticket } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink } from '../../components/button.tsx'
import { useChooseLanguage } from '../../components/choose-language.ts'
import { CopyText } from '../../components/copy-button.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { DescriptionList, Page, Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { LANGUAGES, type Language, message, useLanguage, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { chooseTheme, type Theme, themeStore } from '../../lib/settings.ts'
import { useStore } from '../../lib/store.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { ACTOR_LABELS, LEVEL_LABELS } from '../../parts/people/role-labels.ts'
import { SessionsPanel } from './sessions-panel.tsx'

const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  read: message('Read'),
  write: message('Write'),
  calls: message('Calls and chats'),
  admin: message('Administration'),
}

/** Displays the current user's name, rights, appearance, tokens, password, and sessions. */
export function ProfileScreen() {
  const t = useText()
  return (
    <Page title={t('Profile')} width="normal">
      <PersonPanel />
      <NamePanel />
      <AppearancePanel />
      <TokensPanel />
      <PasswordPanel />
      <SessionsPanel />
    </Page>
  )
}

function PersonPanel() {
  const t = useText()
  const { user, role, scopes, workspaces: accessibleWorkspaces } = useSession()
  const workspaces = useWorkspaces()
  return (
    <Panel title={t('Account')}>
      <DescriptionList
        items={[
          [t('Email address'), user.email],
          [t('Role'), t(ACTOR_LABELS[role])],
          [t('Permissions'), scopes.map((scope) => t(SCOPE_LABELS[scope])).join(', ')],
          [t('User ID'), <CopyText key="id" text={user.userId} />],
        ]}
      />
      <div className="flex flex-col gap-1">
        <h3 className="font-medium">{t('Workspaces')}</h3>
        <ul className="flex flex-col divide-y divide-line">
          {accessibleWorkspaces.map(({ id, level }) => (
            <li key={id} className="flex items-center justify-between gap-4 py-2">
              <Link
                to="/$workspaceId"
                params={{ workspaceId: id }}
                dir="auto"
                className="line-clamp-2 min-w-0 hover:underline"
              >
                {workspaces.find((workspace) => workspace.id === id)?.name ?? id}
              </Link>
              <span className="shrink-0 text-muted">{t(LEVEL_LABELS[level])}</span>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  )
}

/** Changes the user's name. */
function NamePanel() {
  const t = useText()
  const { user } = useSession()
  const [name, setName] = useState(user.name)
  const updateProfile = useWrite('updateProfile', { invalidates: ['getSession'] })
  const saveName = () => updateProfile.mutate({ body: { name } }, { onSuccess: () => notify(t('Name saved')) })
  return (
    <Panel title={t('Name')} description={t('Other members see this name in the team list and the audit log.')}>
      <form
        noValidate
        className="flex flex-wrap items-end gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          saveName()
        }}
      >
        <FieldProblems details={updateProfile.error?.details ?? []}>
          <TextField label={t('Your name')} name="name" autoComplete="name" value={name} onChange={setName} />
        </FieldProblems>
        <Button type="submit" busy={updateProfile.isPending} disabled={name.trim() === '' || name.trim() === user.name}>
          {t('Save name')}
        </Button>
      </form>
      {updateProfile.error && <ProblemNote problem={updateProfile.error} />}
    </Panel>
  )
}

function TokensPanel() {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  if (!can('listTokens')) return null
  return (
    <Panel
      title={t('API tokens')}
      description={t('Tokens authenticate your programs with the API.')}
      actions={
        <ButtonLink icon={Ticket} to="/$workspaceId/tokens" params={{ workspaceId }}>
          {t('Manage tokens')}
        </ButtonLink>
      }
    />
  )
}

/** Renders the theme and language settings. They are stored in the browser. */
function AppearancePanel() {
  const t = useText()
  return (
    <Panel title={t('Appearance')} description={t('Applies to this browser.')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField<Theme>
          label={t('Theme')}
          value={useStore(themeStore)}
          choices={[
            { value: 'system', label: t('System') },
            { value: 'light', label: t('Light') },
            { value: 'dark', label: t('Dark') },
          ]}
          onChange={chooseTheme}
        />
        <SelectField<Language>
          label={t('Language')}
          value={useLanguage()}
          choices={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
          onChange={useChooseLanguage()}
        />
      </div>
    </Panel>
  )
}

/** Changes the password. The server then ends all other sessions. */
export function PasswordPanel() {
  const t = useText()
  const { values, createChangeHandler, changePassword, submit } = usePasswordChange()
  return (
    <Panel
      title={t('Password')}
      description={t(
        'Changing the password ends all other sessions and invalidates password links. API tokens stay valid.',
      )}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <FieldProblems details={changePassword.error?.details ?? []}>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t('Current password')}
              name="currentPassword"
              type="password"
              autoComplete="current-password"
              value={values.currentPassword}
              onChange={createChangeHandler('currentPassword')}
            />
            <TextField
              label={t('New password')}
              help={t('At least 10 characters')}
              name="newPassword"
              type="password"
              autoComplete="new-password"
              value={values.newPassword}
              onChange={createChangeHandler('newPassword')}
            />
          </div>
        </FieldProblems>
        {changePassword.error && <ProblemNote problem={changePassword.error} />}
        <Button
          type="submit"
          kind="primary"
          className="w-fit"
          busy={changePassword.isPending}
          disabled={values.currentPassword === '' || values.newPassword === ''}
        >
          {t('Change password')}
        </Button>
      </form>
    </Panel>
  )
}

const EMPTY_PASSWORDS = { currentPassword: '', newPassword: '' }

function usePasswordChange() {
  const t = useText()
  const [values, setValues] = useState(EMPTY_PASSWORDS)
  const changePassword = useWrite('changePassword', { invalidates: ['listSessions'] })
  const onSuccess = (): void => {
    setValues(EMPTY_PASSWORDS)
    notify(t('Password changed'))
  }
  return {
    values,
    createChangeHandler: (field: keyof typeof EMPTY_PASSWORDS) => (text: string) =>
      setValues((current) => ({ ...current, [field]: text })),
    changePassword,
    submit: () => changePassword.mutate({ body: values }, { onSuccess }),
  }
}
