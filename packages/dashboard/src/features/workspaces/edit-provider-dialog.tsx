import type { Provider } from '@parley/contract/provider'
import { useMemo } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { DraftDialog } from '../../components/editing/draft-dialog.tsx'
import { TextField } from '../../components/fields.tsx'
import { Reading } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useAnswer, useWrite } from '../../lib/api/hooks.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { MarkupField } from './markup-field.tsx'

/** Changes name and markup of a provider, never over what somebody else has changed. */
export function EditProviderDialog({
  providerId,
  onClose,
}: {
  readonly providerId: string
  readonly onClose: () => void
}) {
  const t = useText()
  const answer = useAnswer('getProvider', { path: { providerId } })
  if (answer.data !== undefined) return <ProviderForm answer={answer.data} onClose={onClose} />
  return (
    <Dialog open onOpenChange={onClose} title={t('Edit provider')}>
      <Reading of={answer}>{() => null}</Reading>
    </Dialog>
  )
}

function ProviderForm({ answer, onClose }: { readonly answer: Answer<Provider>; readonly onClose: () => void }) {
  const t = useText()
  const { providerId } = answer.value
  const newest = useMemo<Snapshot<Provider>>(() => ({ value: answer.value, etag: answer.etag }), [answer])
  const draft = useDraft(`provider.${providerId}`, newest)
  const update = useWrite('updateProvider', { refreshes: ['listProviders', 'getProvider'] })
  const saving = useSaving(draft, {
    write: async (body, ifMatch) => {
      const { value, etag } = await update.mutateAsync({ path: { providerId }, body, ifMatch })
      tell(t('The provider is saved.'))
      return { value, etag }
    },
    read: () => request('getProvider', { path: { providerId } }),
  })
  return (
    <DraftDialog
      title={t('Edit provider')}
      draft={draft}
      saving={saving}
      canSave={draft.value.name.trim() !== ''}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        name="name"
        maxLength={200}
        autoComplete="off"
        value={draft.value.name}
        onChange={(name) => draft.set({ name })}
      />
      <MarkupField
        value={draft.value.markupPercent}
        onChange={(percent) => draft.set({ markupPercent: percent ?? 0 })}
      />
    </DraftDialog>
  )
}
