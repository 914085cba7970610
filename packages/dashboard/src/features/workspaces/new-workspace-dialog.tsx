import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** So many accounts are offered to choose from. */
const MOST_TENANTS = 1_000

/** Makes a workspace, in the account of the one that is open unless another is chosen. */
export function NewWorkspaceDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const may = useMay()
  const current = useWorkspaceId()
  const account = useWorkspaces().find(({ id }) => id === current)?.accountSid ?? null
  const mayChoose = may('listTenants')
  const [name, setName] = useState('')
  const [tenantId, setTenantId] = useState(mayChoose ? account : null)
  const tenants = useRead('listTenants', { query: { limit: MOST_TENANTS } }, { enabled: mayChoose })
  const create = useWrite('createWorkspace', { refreshes: ['listWorkspaces', 'getSession'] })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New workspace')}
      submitLabel={t('Create workspace')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== ''}
      problem={create.error}
      onSubmit={() =>
        create.mutate(
          { body: { name, tenantId } },
          {
            onSuccess: () => {
              tell(t('The workspace is created.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="name" maxLength={200} autoComplete="off" value={name} onChange={setName} />
        {mayChoose && (
          <RecordField
            label={t('Account')}
            help={t('The account that owns it.')}
            name="tenantId"
            value={tenantId}
            choices={(tenants.data ?? []).map((tenant) => ({
              id: tenant.tenantId,
              label: tenant.name,
              hint: tenant.accountPath,
            }))}
            isLoading={tenants.isPending}
            onChange={setTenantId}
          />
        )}
      </FieldProblems>
    </FormDialog>
  )
}
