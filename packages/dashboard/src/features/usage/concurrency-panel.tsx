import type { Concurrency } from '@parley/contract/concurrency'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { NumberField } from '../../components/fields.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'

const EVERY_MS = 5_000
/** From this share on the limit is near. */
const NEAR = 0.8

/** How many calls the workspace holds at once, and how many it may. */
export function ConcurrencyPanel() {
  const t = useText()
  const may = useMay()
  const [isEditing, setIsEditing] = useState(false)
  const concurrency = useRead('getConcurrency', {}, { everyMs: EVERY_MS, keepsPrevious: true })
  return (
    <Panel
      title={t('Concurrency')}
      description={t('Calls at once; chats do not count.')}
      actions={
        may('updateConcurrency') &&
        concurrency.data && <Button onClick={() => setIsEditing(true)}>{t('Change the limit')}</Button>
      }
    >
      <Reading of={concurrency} lines={3}>
        {(data) => <Meter concurrency={data} />}
      </Reading>
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
  const isNear = share >= NEAR
  return (
    <>
      <div className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className={isNear ? 'h-full bg-bad' : 'h-full bg-brand-text'} style={{ width: `${share * 100}%` }} />
      </div>
      {isNear && <p className="text-bad">{t('The limit is near: further calls are refused when it is reached.')}</p>}
      <Facts
        items={[
          [t('Live now'), formats.number(currentUsage)],
          [t('Limit'), formats.number(maxConcurrent)],
          [t('of these purchased'), formats.number(purchasedConcurrency)],
          [t('May be purchased at most'), formats.number(concurrencyPurchaseLimit)],
        ]}
      />
    </>
  )
}

function LimitDialog({ concurrency, onClose }: { readonly concurrency: Concurrency; readonly onClose: () => void }) {
  const t = useText()
  const update = useWrite('updateConcurrency', { refreshes: ['getConcurrency'] })
  const [base, setBase] = useState<number | null>(concurrency.maxConcurrent - concurrency.purchasedConcurrency)
  const [purchased, setPurchased] = useState<number | null>(concurrency.purchasedConcurrency)
  const [limit, setLimit] = useState<number | null>(concurrency.concurrencyPurchaseLimit)
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Change the limit')}
      description={t('Live calls go on when the limit falls below their number.')}
      submitLabel={t('Save')}
      isBusy={update.isPending}
      problem={update.error}
      onSubmit={() =>
        update.mutate(
          {
            body: { baseConcurrency: base, purchasedConcurrency: purchased, concurrencyPurchaseLimit: limit },
          },
          {
            onSuccess: () => {
              tell(t('The limit is changed.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={update.error?.details ?? []}>
        <NumberField label={t('Calls at once')} name="baseConcurrency" minimum={0} value={base} onChange={setBase} />
        <NumberField
          label={t('Purchased beyond those')}
          name="purchasedConcurrency"
          minimum={0}
          value={purchased}
          onChange={setPurchased}
        />
        <NumberField
          label={t('May be purchased at most')}
          name="concurrencyPurchaseLimit"
          minimum={0}
          value={limit}
          onChange={setLimit}
        />
      </FieldProblems>
    </FormDialog>
  )
}
