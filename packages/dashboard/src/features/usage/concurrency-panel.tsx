import type { Concurrency } from '@parley/contract/concurrency'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { NumberField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { QueryView } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'

const POLL_MS = 5_000
const WARNING_SHARE = 0.8

/** Live calls against the limit of the workspace. */
export function ConcurrencyPanel() {
  const t = useText()
  const can = useCan()
  const [isEditing, setIsEditing] = useState(false)
  const concurrency = useRead('getConcurrency', {}, { refetchMs: POLL_MS, keepsPrevious: true })
  return (
    <Panel
      title={t('Concurrency')}
      description={t('Simultaneous calls. Chats do not count.')}
      actions={
        can('updateConcurrency') &&
        concurrency.data && <Button onClick={() => setIsEditing(true)}>{t('Change limit')}</Button>
      }
    >
      <QueryView query={concurrency} lines={3}>
        {(data) => <Meter concurrency={data} />}
      </QueryView>
      {isEditing && concurrency.data && (
        <LimitDialog concurrency={concurrency.data} onClose={() => setIsEditing(false)} />
      )}
    </Panel>
  )
}

function Meter({
  concurrency: { currentUsage, maxConcurrent, purchasedConcurrency, concurrencyPurchaseLimit },
}: {
  readonly concurrency: Concurrency
}) {
  const t = useText()
  const formats = useFormats()
  const share = maxConcurrent === 0 ? 1 : Math.min(1, currentUsage / maxConcurrent)
  const isNear = share >= WARNING_SHARE
  return (
    <>
      <div className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className={isNear ? 'h-full bg-bad' : 'h-full bg-brand-text'} style={{ width: `${share * 100}%` }} />
      </div>
      {isNear && <p className="text-bad">{t('Almost at the limit. Further calls will be rejected.')}</p>}
      <Facts
        items={[
          [t('Live now'), formats.number(currentUsage)],
          [t('Limit'), formats.number(maxConcurrent)],
          [t('Purchased'), formats.number(purchasedConcurrency)],
          [t('Purchase limit'), formats.number(concurrencyPurchaseLimit)],
        ]}
      />
    </>
  )
}

function LimitDialog({ concurrency, onClose }: { readonly concurrency: Concurrency; readonly onClose: () => void }) {
  const t = useText()
  const [base, setBase] = useState<number | null>(concurrency.maxConcurrent - concurrency.purchasedConcurrency)
  const [purchased, setPurchased] = useState<number | null>(concurrency.purchasedConcurrency)
  const [limit, setLimit] = useState<number | null>(concurrency.concurrencyPurchaseLimit)
  const fields = [
    [t('Included calls'), 'baseConcurrency', base, setBase],
    [t('Purchased calls'), 'purchasedConcurrency', purchased, setPurchased],
    [t('Purchase limit'), 'concurrencyPurchaseLimit', limit, setLimit],
  ] as const
  return (
    <OperationDialog
      operation="updateConcurrency"
      parts={{ body: { baseConcurrency: base, purchasedConcurrency: purchased, concurrencyPurchaseLimit: limit } }}
      refreshes={['getConcurrency']}
      title={t('Change limit')}
      description={t('A lower limit does not end live calls.')}
      submitLabel={t('Save')}
      success={t('Limit changed')}
      onClose={onClose}
    >
      {fields.map(([label, name, value, onChange]) => (
        <NumberField key={name} label={label} name={name} minimum={0} value={value} onChange={onChange} />
      ))}
    </OperationDialog>
  )
}
