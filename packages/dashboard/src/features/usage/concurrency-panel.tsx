import type { Concurrency } from '@parley/contract/concurrency'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DescriptionList, Panel } from '../../components/page.tsx'
import { QueryView } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { ConcurrencyDialog } from '../../parts/concurrency/concurrency-dialog.tsx'

const POLL_INTERVAL_MS = 5_000
const WARNING_RATIO = 0.8

/** Displays live calls against the workspace limit. */
export function ConcurrencyPanel() {
  const t = useText()
  const can = useCan()
  const [isEditing, setIsEditing] = useState(false)
  const workspaceId = useWorkspaceId()
  const workspace = useWorkspaces().find(({ id }) => id === workspaceId)
  const concurrency = useRead('getConcurrency', {}, { refetchMs: POLL_INTERVAL_MS, keepPreviousData: true })
  return (
    <Panel
      title={t('Concurrency')}
      description={t('Simultaneous calls. Chats do not count.')}
      actions={can('updateConcurrency') && <Button onClick={() => setIsEditing(true)}>{t('Change limit')}</Button>}
    >
      <QueryView query={concurrency} lines={3}>
        {(data) => <ConcurrencyMeter concurrency={data} />}
      </QueryView>
      {isEditing && workspace && <ConcurrencyDialog workspace={workspace} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

function ConcurrencyMeter({
  concurrency: { currentUsage, maxConcurrent, purchasedConcurrency, concurrencyPurchaseLimit },
}: {
  readonly concurrency: Concurrency
}) {
  const t = useText()
  const format = useFormatter()
  const usageRatio = maxConcurrent === 0 ? 1 : Math.min(1, currentUsage / maxConcurrent)
  const isNearLimit = usageRatio >= WARNING_RATIO
  return (
    <>
      <div className="h-2 overflow-hidden rounded-full bg-sunken">
        <div
          className={isNearLimit ? 'h-full bg-bad' : 'h-full bg-brand-text'}
          style={{ width: `${usageRatio * 100}%` }}
        />
      </div>
      {isNearLimit && <p className="text-bad">{t('Almost at the limit. Calls above the limit are rejected.')}</p>}
      <DescriptionList
        items={[
          [t('Live now'), format.number(currentUsage)],
          [t('Limit'), format.number(maxConcurrent)],
          [t('Purchased calls'), format.number(purchasedConcurrency)],
          [t('Purchase limit'), format.number(concurrencyPurchaseLimit)],
        ]}
      />
    </>
  )
}
