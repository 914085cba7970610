import { CopyText } from '../../components/copy-button.tsx'
import { Moment } from '../../components/moment.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useTenantAdministration } from './administration.ts'
import { Administrators } from './administrators.tsx'

/** The one account that the person administers, and who else does. */
export function OwnAccount() {
  const t = useText()
  const session = useSession()
  const workspaces = useWorkspaces()
  const owned = session.workspaces.find(({ level }) => level === 'account')
  const accountSid = workspaces.find(({ id }) => id === owned?.id)?.accountSid
  if (accountSid === undefined) return <p className="text-muted">{t('You administer no account with a workspace.')}</p>
  return <Account tenantId={accountSid} />
}

function Account({ tenantId }: { readonly tenantId: string }) {
  const t = useText()
  const tenant = useRead('getTenant', { path: { tenantId } })
  return (
    <div className="flex flex-col gap-5">
      <Panel title={t('Account')}>
        <Reading of={tenant}>
          {({ name, accountPath, createdAt }) => (
            <Facts
              items={[
                [t('Name'), name],
                [t('Path'), accountPath],
                [t('Id'), <CopyText key="id" text={tenantId} />],
                [t('Created'), <Moment key="created" at={createdAt} />],
              ]}
            />
          )}
        </Reading>
      </Panel>
      <Panel
        title={t('Administrators')}
        description={t('They reach all workspaces of the account, and look after its brand.')}
      >
        <Administrators administration={useTenantAdministration(tenantId)} />
      </Panel>
    </div>
  )
}
