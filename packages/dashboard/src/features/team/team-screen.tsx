import { MEMBER_ROLES } from '@parley/contract/access'
import { Link } from '@tanstack/react-router'
import { Check, KeyRound, Minus, UserCog, UserMinus, UserPlus } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/data-list.tsx'
import { ListScreen, type RowAction, useRowActions } from '../../components/list-screen.tsx'
import { Panel } from '../../components/page.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useAdministrators } from '../../parts/people/administrators.ts'
import { MEMBER_LABELS } from '../../parts/people/role-labels.ts'
import { InviteDialog, type MemberAction, MemberDialog } from './member-dialogs.tsx'
import { listMemberRows, type MemberRow } from './member-rows.ts'
import { RIGHT_ROWS } from './role-rights.ts'

export const TeamScreen = guardScreen('listMembers', message('Team'), Team)

function Team() {
  const t = useText()
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const session = useSession()
  const administrators = useAdministrators()
  const pages = usePages('listMembers', { path: { workspaceId } })
  const isPending = pages.isPending || administrators.isLoading
  const team = { session, workspaceId, administrators: administrators.people, members: pages.rows }
  return (
    <ListScreen
      title={t('Team')}
      label={t('Members')}
      description={t('People with access to this workspace and their roles.')}
      createAction={{
        label: t('Invite'),
        icon: UserPlus,
        isAllowed: can('addMember'),
        dialog: (onClose) => <InviteDialog onClose={onClose} />,
      }}
      pages={{ ...pages, isPending, rows: isPending ? [] : listMemberRows(team) }}
      columns={useColumns()}
      rowActions={useMemberActions()}
      getRowKey={({ userId }) => userId}
      emptyState={{ title: t('No members yet'), children: t('Invite people to work with you.') }}
    >
      {/* Rendered after the list loads so that the panel does not move. */}
      {!isPending && <RightsPanel />}
    </ListScreen>
  )
}

function useMemberActions() {
  const t = useText()
  const buildDialogAction = (action: MemberAction): Pick<RowAction<MemberRow>, 'dialog' | 'isAvailable'> => ({
    isAvailable: ({ member }) => member !== null,
    dialog: ({ member }, onClose) => member && <MemberDialog action={action} member={member} onClose={onClose} />,
  })
  return useRowActions<MemberRow>(
    ({ name }) => name,
    [
      { label: t('Change role…'), icon: UserCog, operation: 'updateMember', ...buildDialogAction('role') },
      {
        label: ({ status }) => (status === 'invited' ? t('New invitation link…') : t('New password link…')),
        icon: KeyRound,
        operation: 'createPasswordLink',
        ...buildDialogAction('link'),
      },
      {
        label: t('Remove…'),
        icon: UserMinus,
        kind: 'danger',
        operation: 'removeMember',
        ...buildDialogAction('remove'),
      },
    ],
  )
}

function useColumns(): readonly Column<MemberRow>[] {
  const t = useText()
  const { user } = useSession()
  const workspaceId = useWorkspaceId()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ name, email, userId }) => (
        <span className="flex min-w-0 flex-col">
          <span className="line-clamp-2 font-medium" dir="auto">
            {userId === user.userId ? (
              <Link to="/$workspaceId/profile" params={{ workspaceId }} className="hover:underline">
                {name} <span className="font-normal text-muted">{t('(you)')}</span>
              </Link>
            ) : (
              name
            )}
          </span>
          {name !== email && (
            <span className="truncate text-muted" title={email}>
              {email}
            </span>
          )}
        </span>
      ),
    },
    { key: 'role', title: t('Role'), width: 'w-32 sm:w-48', cell: ({ role }) => t(role) },
    {
      key: 'status',
      title: t('Status'),
      visibleFrom: 'sm',
      width: 'w-28',
      cell: ({ status }) =>
        status === 'active' ? <Badge tone="good">{t('Active')}</Badge> : <Badge tone="warn">{t('Invited')}</Badge>,
    },
    buildTimeColumn(t('Since'), ({ createdAt }) => createdAt),
  ]
}

function RightsPanel() {
  const t = useText()
  return (
    <Panel
      title={t('Permissions by role')}
      description={t('Account administrators have all permissions in every workspace of the account.')}
    >
      <div className="overflow-x-auto">
        <table className="w-full border-collapse">
          <caption className="sr-only">{t('Permissions by role')}</caption>
          <thead>
            <tr>
              <th scope="col" className="py-2 pe-2 text-start text-xs font-medium text-muted">
                {t('Permission')}
              </th>
              {MEMBER_ROLES.map((role) => (
                <th key={role} scope="col" className="px-1 py-2 text-center sm:px-2 text-xs font-medium text-muted">
                  {t(MEMBER_LABELS[role])}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {RIGHT_ROWS.map(({ right, label, roles }) => (
              <tr key={right} className="border-t border-line">
                <th scope="row" className="py-2 pe-2 text-start font-normal">
                  {t(label)}
                </th>
                {MEMBER_ROLES.map((role) => (
                  <td key={role} className="px-1 py-2 sm:px-2">
                    <PermissionMark isGranted={roles[role]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function PermissionMark({ isGranted }: { readonly isGranted: boolean }) {
  const t = useText()
  const Icon = isGranted ? Check : Minus
  return (
    <span className={isGranted ? 'text-good' : 'text-muted'}>
      <Icon aria-hidden="true" className="mx-auto size-4" />
      <span className="sr-only">{isGranted ? t('Yes') : t('No')}</span>
    </span>
  )
}
