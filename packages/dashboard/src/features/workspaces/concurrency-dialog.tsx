import type { Concurrency } from '@parley/contract/concurrency'
import type { Workspace } from '@parley/contract/workspace'
import { useState } from 'react'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { NumberField } from '../../components/fields.tsx'
import { Reading } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { type ConcurrencySettings, concurrencyChanges, settingsOf } from './concurrency-change.ts'

const MOST_CALLS = 10_000

interface ConcurrencyDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

/** How many calls a workspace may hold at once. */
export function ConcurrencyDialog({ workspace, onClose }: ConcurrencyDialogProps) {
  const t = useText()
  const answer = useRead('getConcurrency', { query: { workspaceId: workspace.id } })
  if (answer.data !== undefined) {
    return <ConcurrencyForm workspace={workspace} concurrency={answer.data} onClose={onClose} />
  }
  return (
    <Dialog open onOpenChange={onClose} title={t('Concurrency of {name}', { name: workspace.name })}>
      <Reading of={answer}>{() => null}</Reading>
    </Dialog>
  )
}

function ConcurrencyForm({
  workspace,
  concurrency,
  onClose,
}: ConcurrencyDialogProps & { readonly concurrency: Concurrency }) {
  const t = useText()
  const [before] = useState(() => settingsOf(concurrency))
  const [value, setValue] = useState<ConcurrencySettings>(before)
  const update = useWrite('updateConcurrency', { refreshes: ['getConcurrency', 'getUsage'] })
  const changes = concurrencyChanges(before, value)
  const set = (change: Partial<ConcurrencySettings>): void => setValue((current) => ({ ...current, ...change }))
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Concurrency of {name}', { name: workspace.name })}
      description={t('Calls that may be live at once. Live calls go on when the limit falls below their number.')}
      submitLabel={t('Save')}
      isBusy={update.isPending}
      canSubmit={Object.keys(changes).length > 0}
      problem={update.error}
      onSubmit={() =>
        update.mutate(
          { body: { workspaceId: workspace.id, ...changes } },
          {
            onSuccess: ({ value: { maxConcurrent } }) => {
              tell(t('{count, plural, one {# call} other {# calls}} may be live at once.', { count: maxConcurrent }))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={update.error?.details ?? []}>
        <SettingFields value={value} onChange={set} />
      </FieldProblems>
    </FormDialog>
  )
}

interface SettingFieldsProps {
  readonly value: ConcurrencySettings
  readonly onChange: (change: Partial<ConcurrencySettings>) => void
}

function SettingFields({ value, onChange }: SettingFieldsProps) {
  const t = useText()
  const range = { minimum: 0, maximum: MOST_CALLS }
  return (
    <>
      <NumberField
        {...range}
        label={t('Base')}
        help={t('Calls at once without purchased ones; 20 when it is empty.')}
        name="baseConcurrency"
        value={value.baseConcurrency}
        onChange={(baseConcurrency) => onChange({ baseConcurrency })}
      />
      <NumberField
        {...range}
        label={t('Purchased')}
        help={t('Calls at once beyond those, up to the purchase limit; 0 when it is empty.')}
        name="purchasedConcurrency"
        value={value.purchasedConcurrency}
        onChange={(purchasedConcurrency) => onChange({ purchasedConcurrency })}
      />
      <NumberField
        {...range}
        label={t('Purchase limit')}
        help={t('The most that may be purchased; 100 when it is empty.')}
        name="concurrencyPurchaseLimit"
        value={value.concurrencyPurchaseLimit}
        onChange={(concurrencyPurchaseLimit) => onChange({ concurrencyPurchaseLimit })}
      />
    </>
  )
}
