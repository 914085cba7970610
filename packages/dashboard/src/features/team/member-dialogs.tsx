import { MEMBER_ROLES, type MemberRole } from '@parley/contract/access'
import type { Member } from '@parley/contract/member'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SelectField } from '../../components/fields.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { useText } from '../../lib/language.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { LinkDialog } from '../../parts/people/link-dialog.tsx'
import { PersonFields } from '../../parts/people/person-fields.tsx'
import { EMPTY_PERSON, toPersonFields } from '../../parts/people/person-input.ts'
import { MEMBER_LABELS } from '../../parts/people/role-labels.ts'
import { ROLE_DESCRIPTIONS } from './role-rights.ts'

/** Invites a person and displays the link to send. */
export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const [person, setPerson] = useState(EMPTY_PERSON)
  const [role, setRole] = useState<MemberRole>('editor')
  return (
    <OperationDialog
      operation="addMember"
      params={{ path: { workspaceId }, body: { ...toPersonFields(person), role } }}
      invalidates={['listMembers']}
      title={t('Invite a member')}
      submitLabel={t('Invite')}
      canSubmit={person.email.trim() !== ''}
      onClose={onClose}
      renderResult={({ email, inviteUrl: url, inviteExpiresAt: expiresAt }) => (
        <LinkDialog isInvitation title={t('{email} invited', { email })} {...{ url, expiresAt, onClose }} />
      )}
    >
      <PersonFields value={person} onChange={setPerson} />
      <RoleField value={role} onChange={setRole} />
    </OperationDialog>
  )
}

interface RoleFieldProps {
  readonly value: MemberRole
  readonly onChange: (role: MemberRole) => void
}

function RoleField({ value, onChange }: RoleFieldProps) {
  const t = useText()
  return (
    <SelectField
      label={t('Role')}
      help={t(ROLE_DESCRIPTIONS[value])}
      name="role"
      value={value}
      choices={MEMBER_ROLES.map((role) => ({ value: role, label: t(MEMBER_LABELS[role]) }))}
      onChange={onChange}
    />
  )
}

export type MemberAction = 'role' | 'link' | 'remove'

interface MemberDialogProps {
  readonly member: Member
  readonly onClose: () => void
}

export function MemberDialog({ action, ...props }: MemberDialogProps & { readonly action: MemberAction }) {
  if (action === 'role') return <RoleDialog {...props} />
  if (action === 'link') return <PasswordLinkDialog {...props} />
  return <RemoveDialog {...props} />
}

function RoleDialog({ member: { userId, name, email, role: currentRole }, onClose }: MemberDialogProps) {
  const t = useText()
  const { user } = useSession()
  const workspaceId = useWorkspaceId()
  const [role, setRole] = useState(currentRole)
  return (
    <OperationDialog
      operation="updateMember"
      params={{ path: { workspaceId, userId }, body: { role } }}
      invalidates={['listMembers', 'getSession']}
      title={t('Role of {name}', { name: name || email })}
      description={t('The new role applies immediately.')}
      submitLabel={t('Change role')}
      canSubmit={role !== currentRole}
      successMessage={t('Role changed')}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
      {userId === user.userId && role !== currentRole && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {t('This is your own role. You may lose the permission to change it back.')}
        </p>
      )}
    </OperationDialog>
  )
}

/** Creates a new password link for a member, or a new invitation link. */
function PasswordLinkDialog({ member: { userId, name, email, status }, onClose }: MemberDialogProps) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const labelValues = { name: name || email }
  const isInvitation = status === 'invited'
  return (
    <OperationDialog
      operation="createPasswordLink"
      params={{ path: { workspaceId, userId } }}
      title={
        isInvitation
          ? t('Create a new invitation link for {name}?', labelValues)
          : t('Create a password link for {name}?', labelValues)
      }
      description={
        isInvitation
          ? t('The previous link stops working.')
          : t('Previous links stop working. The current password works until a new one is set.')
      }
      submitLabel={t('Create link')}
      onClose={onClose}
      renderResult={(link) => (
        <LinkDialog title={t('Link for {name}', labelValues)} {...link} {...{ isInvitation, onClose }} />
      )}
    />
  )
}

/** Asks for confirmation before removing a member. Users who remove themselves must enter their email address. */
function RemoveDialog({ member: { userId, email, name, status }, onClose }: MemberDialogProps) {
  const { user } = useSession()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const isSelf = userId === user.userId
  const dialogLabels = useRemoveDialogLabels({ isSelf, isInvited: status === 'invited', name: name || email })
  return (
    <ConfirmDialog
      operation="removeMember"
      params={{ path: { workspaceId, userId } }}
      invalidates={['listMembers', 'getSession', 'listWorkspaces']}
      {...dialogLabels}
      {...(isSelf && { name: email })}
      onClose={onClose}
      {...(isSelf && { onSuccess: () => void navigate({ to: '/' }) })}
    />
  )
}

function useRemoveDialogLabels({ isSelf, isInvited, name }: { isSelf: boolean; isInvited: boolean; name: string }) {
  const t = useText()
  if (isInvited) {
    return {
      title: t('Revoke invitation for {name}?', { name }),
      description: t('The invitation link stops working.'),
      label: t('Revoke invitation'),
      successMessage: t('Invitation revoked'),
    }
  }
  if (isSelf) {
    return {
      title: t('Leave workspace?'),
      description: t(
        'You lose access until someone invites you again. Your user account is deleted if it has no other workspace.',
      ),
      label: t('Leave workspace'),
      successMessage: t('You left the workspace'),
    }
  }
  return {
    title: t('Remove {name}?', { name }),
    description: t(
      'The person and their API tokens lose access. Their user account is deleted if it has no other workspace.',
    ),
    label: t('Remove member'),
    successMessage: t('Member removed'),
  }
}
