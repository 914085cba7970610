import { MEMBER_ROLES } from '@parley/contract/access'
import type { Member } from '@parley/contract/member'
import { Link } from '@tanstack/react-router'
import { Check, Ellipsis, KeyRound, Minus, UserCog, UserMinus, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useAdministrators } from '../../parts/people/administrators.ts'
import { MEMBER_LABELS } from '../../parts/people/role-labels.ts'
import { InviteDialog, type MemberAction, MemberDialog } from './member-dialogs.tsx'
import { type MemberRow, memberRows } from './member-rows.ts'
import { RIGHT_ROWS } from './role-rights.ts'

export function TeamScreen() {
  const t = useText()
  const can = useCan()
  if (can('listMembers')) return <Team />
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
  const can = useCan()
  const workspaceId = useWorkspaceId()
  const session = useSession()
  const administrators = useAdministrators()
  const pages = usePages('listMembers', { path: { workspaceId } })
  const [isInviting, setIsInviting] = useState(false)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const canInvite = can('addMember')
  useHotkeys(canInvite ? { n: () => setIsInviting(true) } : {})
  const isPending = pages.isPending || administrators.isLoading
  const people = { session, workspaceId, administrators: administrators.people, members: pages.rows }

  const inviteButton = (
    <Button kind="primary" icon={UserPlus} onClick={() => setIsInviting(true)}>
      {t('Invite')}
    </Button>
  )
  return (
    <Page
      title={t('Team')}
      description={t('The people of this workspace and their roles.')}
      actions={canInvite && inviteButton}
    >
      <DataList
        label={t('Members')}
        pages={{ ...pages, isPending, rows: isPending ? [] : memberRows(people) }}
        columns={useColumns((action, member) => setChosen({ action, member }))}
        rowKey={({ userId }) => userId}
        empty={
          <Empty title={t('No members yet')} action={canInvite && inviteButton}>
            {t('Invite people to work with you.')}
          </Empty>
        }
      />
      {/* Below a list of known length, so that it does not move. */}
      {!isPending && <RightsPanel />}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
      {chosen && <MemberDialog {...chosen} onClose={() => setChosen(null)} />}
    </Page>
  )
}

type OnAction = (action: MemberAction, member: Member) => void

function useColumns(onAction: OnAction): readonly Column<MemberRow>[] {
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
      from: 'sm',
      width: 'w-28',
      cell: ({ status }) =>
        status === 'active' ? <Badge tone="good">{t('Active')}</Badge> : <Badge tone="warn">{t('Invited')}</Badge>,
    },
    {
      key: 'since',
      title: t('Since'),
      from: 'md',
      width: 'w-36',
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: ({ member }) => member && <MemberMenu member={member} onAction={onAction} />,
    },
  ]
}

function MemberMenu({ member, onAction }: { readonly member: Member; readonly onAction: OnAction }) {
  const t = useText()
  const can = useCan()
  const items: readonly MenuItem[] = [
    ...(can('updateMember')
      ? [{ label: t('Change role …'), icon: UserCog, onSelect: () => onAction('role', member) }]
      : []),
    ...(can('createPasswordLink')
      ? [
          {
            label: member.status === 'invited' ? t('New invitation link …') : t('New password link …'),
            icon: KeyRound,
            onSelect: () => onAction('link', member),
          },
        ]
      : []),
    ...(can('removeMember')
      ? [
          {
            label: t('Remove …'),
            icon: UserMinus,
            kind: 'danger' as const,
            onSelect: () => onAction('remove', member),
          },
        ]
      : []),
  ]
  if (items.length === 0) return null
  const name = member.name || member.email
  return <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name })} />} />
}

function RightsPanel() {
  const t = useText()
  return (
    <Panel
      title={t('Rights by role')}
      description={t('Account administrators have all rights in every workspace of the account.')}
    >
      <div className="overflow-x-auto">
        <table className="w-full border-collapse">
          <caption className="sr-only">{t('Rights by role')}</caption>
          <thead>
            <tr>
              <th scope="col" className="py-2 pe-2 text-start text-xs font-medium text-muted">
                {t('Right')}
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
                    <Mark isOn={roles[role]} />
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

function Mark({ isOn }: { readonly isOn: boolean }) {
  const t = useText()
  const Icon = isOn ? Check : Minus
  return (
    <span className={isOn ? 'text-good' : 'text-muted'}>
      <Icon aria-hidden="true" className="mx-auto size-4" />
      <span className="sr-only">{isOn ? t('Yes') : t('No')}</span>
    </span>
  )
}
