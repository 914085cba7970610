import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Forbidden } from '../../components/states.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { OwnAccount } from './own-account.tsx'
import { ProviderList } from './provider-list.tsx'
import { TenantList } from './tenant-list.tsx'
import { WorkspaceList } from './workspace-list.tsx'
import type { WorkspacesTab } from './workspaces-tab-name.ts'

/** Workspaces, and for those who administer more: accounts and providers. */
export function WorkspacesScreen() {
  const t = useText()
  const may = useMay()
  const { tab = 'workspaces' } = useSearch({ from: '/signed-in/$workspaceId/workspaces' })
  const navigate = useNavigate({ from: '/$workspaceId/workspaces' })
  if (!may('createWorkspace')) {
    return (
      <Page title={t('Workspaces')}>
        <Forbidden />
      </Page>
    )
  }
  const tabs: readonly Tab<WorkspacesTab>[] = [
    { name: 'workspaces', label: t('Workspaces'), content: <WorkspaceList /> },
    may('listTenants')
      ? { name: 'tenants', label: t('Accounts'), content: <TenantList /> }
      : { name: 'tenants', label: t('Account'), content: <OwnAccount /> },
    ...(may('listProviders') ? [{ name: 'providers' as const, label: t('Providers'), content: <ProviderList /> }] : []),
  ]
  const shown = tabs.some(({ name }) => name === tab) ? tab : 'workspaces'
  return (
    <Page
      title={t('Workspaces')}
      description={t('Everything belongs to a workspace, every workspace to an account, every account to a provider.')}
    >
      <Tabs
        label={t('Workspaces and accounts')}
        tabs={tabs}
        value={shown}
        onChange={(name) => void navigate({ search: name === 'workspaces' ? {} : { tab: name } })}
      />
    </Page>
  )
}
