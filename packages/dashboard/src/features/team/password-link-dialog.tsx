import type { Member } from '@parley/contract/member'
import { FormDialog } from '../../components/dialog.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { LinkShown } from '../../parts/people/link-shown.tsx'

/** Makes a link for a member who has lost a password, or for an invited person. */
export function PasswordLinkDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createPasswordLink')
  const name = member.name === '' ? member.email : member.name
  const isInvitation = member.status === 'invited'
  if (create.data) {
    const shown = { ...create.data.value, isInvitation }
    return <LinkShown title={t('Link for {name}', { name })} {...shown} onClose={onClose} />
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={
        isInvitation
          ? t('Make a new invitation link for {name}?', { name })
          : t('Make a new password link for {name}?', { name })
      }
      description={
        isInvitation
          ? t('The earlier link stops working.')
          : t('Earlier links of this person stop working. The old password works until a new one is chosen.')
      }
      submitLabel={t('Make link')}
      isBusy={create.isPending}
      problem={create.error}
      onSubmit={() => create.mutate({ path: { workspaceId, userId: member.userId } })}
    />
  )
}
