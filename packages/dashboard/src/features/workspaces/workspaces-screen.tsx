import { useNavigate, useSearch } from '@tanstack/react-router'
import { CopyText } from '../../components/copy-button.tsx'
import { DescriptionList, Page, Panel } from '../../components/page.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { QueryView } from '../../components/states.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { DateTime } from '../../components/time.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { TenantAdministrators } from './administrators.tsx'
import { ProviderList } from './provider-list.tsx'
import { TenantList } from './tenant-list.tsx'
import { WorkspaceList } from './workspace-list.tsx'

/** Lists workspaces, and the accounts and providers that the user administers. */
function Workspaces() {
  const t = useText()
  const can = useCan()
  const { tab = 'workspaces' } = useSearch({ from: '/signed-in/$workspaceId/workspaces' })
  const navigate = useNavigate({ from: '/$workspaceId/workspaces' })
  const tabs: readonly Tab<WorkspacesTab>[] = [
    { name: 'workspaces', label: t('Workspaces'), content: <WorkspaceList /> },
    can('listTenants')
      ? { name: 'tenants', label: t('Accounts'), content: <TenantList /> }
      : { name: 'tenants', label: t('Account'), content: <OwnAccount /> },
    ...(can('listProviders') ? [{ name: 'providers' as const, label: t('Providers'), content: <ProviderList /> }] : []),
  ]
  const selectedTab = tabs.some(({ name }) => name === tab) ? tab : 'workspaces'
  return (
    <Page title={t('Workspaces')} description={t('Workspaces belong to accounts, and accounts belong to providers.')}>
      <Tabs
        label={t('Workspaces and accounts')}
        tabs={tabs}
        value={selectedTab}
        onChange={(name) => void navigate({ search: name === 'workspaces' ? {} : { tab: name } })}
      />
    </Page>
  )
}

type WorkspacesTab = 'workspaces' | 'tenants' | 'providers'

export const WorkspacesScreen = guardScreen('createWorkspace', message('Workspaces'), Workspaces)

/** Displays the account that the user administers, and its other administrators. */
function OwnAccount() {
  const t = useText()
  const session = useSession()
  const workspaces = useWorkspaces()
  const administeredWorkspace = session.workspaces.find(({ level }) => level === 'account')
  const accountSid = workspaces.find(({ id }) => id === administeredWorkspace?.id)?.accountSid
  if (accountSid === undefined)
    return <p className="text-muted">{t('You do not administer an account with a workspace.')}</p>
  return <Account tenantId={accountSid} />
}

function Account({ tenantId }: { readonly tenantId: string }) {
  const t = useText()
  const tenant = useRead('getTenant', { path: { tenantId } })
  return (
    <div className="flex flex-col gap-5">
      <Panel title={t('Account')}>
        <QueryView query={tenant}>
          {({ name, accountPath, createdAt }) => (
            <DescriptionList
              items={[
                [t('Name'), name],
                [t('Path'), accountPath],
                [t('ID'), <CopyText key="id" text={tenantId} />],
                [t('Created'), <DateTime key="created" time={createdAt} />],
              ]}
            />
          )}
        </QueryView>
      </Panel>
      <Panel
        title={t('Administrators')}
        description={t('Administrators have access to all workspaces of the account and manage its brand.')}
      >
        <TenantAdministrators tenantId={tenantId} />
      </Panel>
    </div>
  )
}
