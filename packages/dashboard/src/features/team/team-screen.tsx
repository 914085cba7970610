import type { Member } from '@parley/contract/member'
import { UserPlus, Users } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DataList } from '../../components/data-list.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { usePages, useWrite } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { LinkShown } from '../../parts/people/link-shown.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { type MemberAction, useMemberColumns } from './member-columns.tsx'
import { RemoveMemberDialog } from './remove-member-dialog.tsx'
import { RightsPanel } from './rights-panel.tsx'
import { RoleDialog } from './role-dialog.tsx'

/** The members of the workspace. */
export function TeamScreen() {
  const t = useText()
  const may = useMay()
  if (may('listMembers')) return <Team />
  return (
    <Page title={t('Team')}>
      <Forbidden />
    </Page>
  )
}

interface Chosen {
  readonly action: MemberAction
  readonly member: Member
}

function Team() {
  const t = useText()
  const may = useMay()
  const workspaceId = useWorkspaceId()
  const pages = usePages('listMembers', { path: { workspaceId } })
  const [isInviting, setIsInviting] = useState(false)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const mayInvite = may('addMember')
  useHotkeys(mayInvite ? { n: () => setIsInviting(true) } : {})

  const inviteButton = (
    <Button kind="primary" icon={UserPlus} onClick={() => setIsInviting(true)}>
      {t('Invite')}
    </Button>
  )
  return (
    <Page
      title={t('Team')}
      description={t('Who works in this workspace, and what each person may do.')}
      actions={mayInvite && inviteButton}
    >
      <DataList
        label={t('Members')}
        pages={pages}
        columns={useMemberColumns((action, member) => setChosen({ action, member }))}
        rowKey={({ userId }) => userId}
        empty={
          <Empty icon={Users} title={t('No member yet')} action={mayInvite && inviteButton}>
            {t('Invite the people who shall work with you here. Administrators of the account are not listed.')}
          </Empty>
        }
      />
      {/* Below a list whose length is known, so that it stays where it appears. */}
      {!pages.isPending && <RightsPanel />}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {chosen && <ChosenDialog {...chosen} onClose={() => setChosen(null)} />}
    </Page>
  )
}

function ChosenDialog({ action, member, onClose }: Chosen & { readonly onClose: () => void }) {
  if (action === 'role') return <RoleDialog member={member} onClose={onClose} />
  if (action === 'link') return <PasswordLinkDialog member={member} onClose={onClose} />
  return <RemoveMemberDialog member={member} onClose={onClose} />
}

/** Makes a link for a member who has lost a password, or for an invited person. */
function PasswordLinkDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
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
