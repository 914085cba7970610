import type { Workspace } from '@parley/contract/workspace'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { SwitchField, TextField } from '../../components/fields.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Renames a workspace and says who passes calls on. */
export function EditWorkspaceDialog({
  workspace,
  onClose,
}: {
  readonly workspace: Workspace
  readonly onClose: () => void
}) {
  const t = useText()
  const [name, setName] = useState(workspace.name)
  const [isNative, setIsNative] = useState(workspace.nativeTransferEnabled)
  const update = useWrite('updateWorkspace', { refreshes: ['listWorkspaces', 'getWorkspace'] })
  const changes = {
    ...(name.trim() !== workspace.name && { name }),
    ...(isNative !== workspace.nativeTransferEnabled && { nativeTransferEnabled: isNative }),
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Edit workspace')}
      submitLabel={t('Save')}
      isBusy={update.isPending}
      canSubmit={name.trim() !== '' && Object.keys(changes).length > 0}
      problem={update.error}
      onSubmit={() =>
        update.mutate(
          { path: { workspaceId: workspace.id }, body: changes },
          {
            onSuccess: () => {
              tell(t('The workspace is saved.'))
              onClose()
            },
          },
        )
      }
    >
      <FieldProblems details={update.error?.details ?? []}>
        <TextField label={t('Name')} name="name" maxLength={200} autoComplete="off" value={name} onChange={setName} />
        <SwitchField
          label={t('Native transfer')}
          help={t('Whether transfers are left to the carrier. Nothing depends on it so far.')}
          value={isNative}
          onChange={setIsNative}
        />
      </FieldProblems>
    </FormDialog>
  )
}
