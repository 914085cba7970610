import type { Concurrency } from '@parley/contract/concurrency'
import type { Workspace } from '@parley/contract/workspace'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { NumberField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { QueryView } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

const MAX_CALLS = 10_000

/** The concurrency settings of a workspace; null selects the default. */
export interface ConcurrencySettings {
  readonly baseConcurrency: number | null
  readonly purchasedConcurrency: number | null
  readonly concurrencyPurchaseLimit: number | null
}

/** Extracts the settings. In the API, `maxConcurrent` is the sum of base and purchased concurrency. */
export function toConcurrencySettings(concurrency: Concurrency): ConcurrencySettings {
  return {
    baseConcurrency: concurrency.maxConcurrent - concurrency.purchasedConcurrency,
    purchasedConcurrency: concurrency.purchasedConcurrency,
    concurrencyPurchaseLimit: concurrency.concurrencyPurchaseLimit,
  }
}

/** Returns the changed settings. */
export function findConcurrencyChanges(
  before: ConcurrencySettings,
  after: ConcurrencySettings,
): Partial<ConcurrencySettings> {
  const names = Object.keys(before) as (keyof ConcurrencySettings)[]
  return Object.fromEntries(names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]))
}

interface ConcurrencyDialogProps {
  readonly workspace: Pick<Workspace, 'id' | 'name'>
  readonly onClose: () => void
}

/** Edits the concurrency limits of a workspace. */
export function ConcurrencyDialog({ workspace, onClose }: ConcurrencyDialogProps) {
  const t = useText()
  const query = useRead('getConcurrency', { query: { workspaceId: workspace.id } })
  if (query.data !== undefined) {
    return <ConcurrencyForm workspace={workspace} concurrency={query.data} onClose={onClose} />
  }
  return (
    <Dialog open onOpenChange={onClose} title={t('Concurrency for {name}', { name: workspace.name })}>
      <QueryView query={query}>{() => null}</QueryView>
    </Dialog>
  )
}

function ConcurrencyForm({
  workspace,
  concurrency,
  onClose,
}: ConcurrencyDialogProps & { readonly concurrency: Concurrency }) {
  const t = useText()
  const [before] = useState(() => toConcurrencySettings(concurrency))
  const [value, setValue] = useState<ConcurrencySettings>(before)
  const changes = findConcurrencyChanges(before, value)
  const buildFieldProps = (name: keyof ConcurrencySettings) => ({
    name,
    minimum: 0,
    maximum: MAX_CALLS,
    value: value[name],
    onChange: (count: number | null) => setValue((current) => ({ ...current, [name]: count })),
  })
  return (
    <OperationDialog
      operation="updateConcurrency"
      params={{ body: { workspaceId: workspace.id, ...changes } }}
      invalidates={['getConcurrency', 'getUsage']}
      title={t('Concurrency for {name}', { name: workspace.name })}
      description={t('Maximum number of live calls. A lower limit does not end calls.')}
      submitLabel={t('Save')}
      canSubmit={Object.keys(changes).length > 0}
      successMessage={t('Concurrency saved')}
      onClose={onClose}
    >
      <NumberField {...buildFieldProps('baseConcurrency')} label={t('Included calls')} help={t('Default: 20.')} />
      <NumberField
        {...buildFieldProps('purchasedConcurrency')}
        label={t('Purchased calls')}
        help={t('Added to the included calls, up to the purchase limit. Default: 0.')}
      />
      <NumberField
        {...buildFieldProps('concurrencyPurchaseLimit')}
        label={t('Purchase limit')}
        help={t('Default: 100.')}
      />
    </OperationDialog>
  )
}
