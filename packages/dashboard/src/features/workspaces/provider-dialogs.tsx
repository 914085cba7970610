import type { Provider } from '@parley/contract/provider'
import { useState } from 'react'
import { DeleteDialog, FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { MarkupField } from './markup-field.tsx'
import { NameAndPathFields } from './name-and-path-fields.tsx'
import { ownerFields, UNNAMED } from './typed-owner.ts'

/** Makes a provider without accounts and administrators. */
export function NewProviderDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [owner, setOwner] = useState(UNNAMED)
  const [markupPercent, setMarkupPercent] = useState<number | null>(null)
  const create = useWrite('createProvider', { refreshes: ['listProviders'] })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New provider')}
      submitLabel={t('Create provider')}
      isBusy={create.isPending}
      canSubmit={owner.name.trim() !== ''}
      problem={create.error}
      onSubmit={() =>
        create.mutate(
          { body: { ...ownerFields(owner), markupPercent } },
          {
            onSuccess: () => {
              tell(t('The provider is created.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={create.error?.details ?? []}>
        <NameAndPathFields pathLabel={t('First part of the paths of its accounts')} value={owner} onChange={setOwner} />
        <MarkupField value={markupPercent} onChange={setMarkupPercent} />
      </FieldProblems>
    </FormDialog>
  )
}

/** Asks before a provider goes. The server refuses while it has accounts. */
export function DeleteProviderDialog({
  provider: { providerId, name },
  onClose,
}: {
  readonly provider: Provider
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteProvider', { refreshes: ['listProviders'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the provider?')}
      consequence={t('It is refused while the provider has accounts. Its keys and its brand go with it.')}
      name={name}
      label={t('Delete provider')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { providerId } },
          {
            onSuccess: () => {
              tell(t('The provider is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
