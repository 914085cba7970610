import type { Tenant } from '@parley/contract/tenant'
import { useState } from 'react'
import { DeleteDialog, FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { NameAndPathFields } from './name-and-path-fields.tsx'
import { ownerFields, UNNAMED } from './typed-owner.ts'

/** So many providers are offered to choose from. */
const MOST_PROVIDERS = 1_000

/** Makes an account without workspaces and administrators. */
export function NewTenantDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const [owner, setOwner] = useState(UNNAMED)
  const [providerId, setProviderId] = useState<string | null>(null)
  const providers = useRead('listProviders', { query: { limit: MOST_PROVIDERS } })
  const create = useWrite('createTenant', { refreshes: ['listTenants'] })
  const choices = (providers.data ?? []).map((one) => ({ id: one.providerId, label: one.name, hint: one.slug }))
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New account')}
      submitLabel={t('Create account')}
      isBusy={create.isPending}
      canSubmit={owner.name.trim() !== ''}
      problem={create.error}
      onSubmit={() =>
        create.mutate(
          { body: { ...ownerFields(owner), providerId } },
          {
            onSuccess: () => {
              tell(t('The account is created.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={create.error?.details ?? []}>
        <NameAndPathFields pathLabel={t('Last part of its path')} value={owner} onChange={setOwner} />
        {choices.length > 1 && (
          <RecordField
            label={t('Provider')}
            name="providerId"
            noneLabel={t('The usual one')}
            value={providerId}
            choices={choices}
            onChange={setProviderId}
          />
        )}
      </FieldProblems>
    </FormDialog>
  )
}

/** Renames an account. */
export function EditTenantDialog({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  const t = useText()
  const [name, setName] = useState(tenant.name)
  const update = useWrite('updateTenant', { refreshes: ['listTenants', 'getTenant'] })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Rename account')}
      description={t('The path {path} stays.', { path: tenant.accountPath })}
      submitLabel={t('Save')}
      isBusy={update.isPending}
      canSubmit={name.trim() !== '' && name.trim() !== tenant.name}
      problem={update.error}
      onSubmit={() =>
        update.mutate(
          { path: { tenantId: tenant.tenantId }, body: { name } },
          {
            onSuccess: () => {
              tell(t('The account is saved.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={update.error?.details ?? []}>
        <TextField label={t('Name')} name="name" maxLength={200} autoComplete="off" value={name} onChange={setName} />
      </FieldProblems>
    </FormDialog>
  )
}

/** Asks before an account goes. The server refuses while it has workspaces. */
export function DeleteTenantDialog({ tenant, onClose }: { readonly tenant: Tenant; readonly onClose: () => void }) {
  const t = useText()
  const remove = useWrite('deleteTenant', { refreshes: ['listTenants'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the account?')}
      consequence={t('It is refused while the account has workspaces. Its administrators keep their memberships.')}
      name={tenant.name}
      label={t('Delete account')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { tenantId: tenant.tenantId } },
          {
            onSuccess: () => {
              tell(t('The account is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
