import { Link } from '@tanstack/react-router'
import { CopyText } from '../../components/copy-button.tsx'
import { Facts, Page, Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { ACTOR_WORDS, LEVEL_WORDS } from '../../parts/people/role-words.ts'
import { LoginsPanel } from './logins-panel.tsx'
import { LookPanel } from './look-panel.tsx'
import { PasswordPanel } from './password-panel.tsx'
import { SCOPE_WORDS } from './profile-words.ts'

/** The person who is signed in: who it is, password, logins, look. */
export function ProfileScreen() {
  const t = useText()
  return (
    <Page title={t('Profile')} width="normal">
      <PersonPanel />
      <LookPanel />
      <PasswordPanel />
      <LoginsPanel />
    </Page>
  )
}

function PersonPanel() {
  const t = useText()
  const { user, role, scopes, workspaces: reached } = useSession()
  const workspaces = useWorkspaces()
  return (
    <Panel title={t('You')}>
      <Facts
        items={[
          [t('Name'), user.name === '' ? '–' : user.name],
          [t('E-mail address'), user.email],
          [t('Role'), t(ACTOR_WORDS[role])],
          [t('This login may'), scopes.map((scope) => t(SCOPE_WORDS[scope])).join(', ')],
          [t('Id'), <CopyText key="id" text={user.userId} />],
        ]}
      />
      <div className="flex flex-col gap-1">
        <h3 className="font-medium">{t('Workspaces')}</h3>
        <ul className="flex flex-col divide-y divide-line">
          {reached.map(({ id, level }) => (
            <li key={id} className="flex items-center justify-between gap-4 py-2">
              <Link
                to="/$workspaceId"
                params={{ workspaceId: id }}
                dir="auto"
                className="line-clamp-2 min-w-0 hover:underline"
              >
                {workspaces.find((workspace) => workspace.id === id)?.name ?? id}
              </Link>
              <span className="shrink-0 text-muted">{t(LEVEL_WORDS[level])}</span>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  )
}
