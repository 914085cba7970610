import type { Member } from '@parley/contract/member'
import { Ellipsis, KeyRound, UserCog, UserMinus } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useSession } from '../../lib/session/session.ts'
import { MEMBER_WORDS } from '../../parts/people/role-words.ts'

export type MemberAction = 'role' | 'link' | 'remove'
type OnAction = (action: MemberAction, member: Member) => void

export function useMemberColumns(onAction: OnAction): readonly Column<Member>[] {
  const t = useText()
  const { user } = useSession()
  return [
    {
      key: 'name',
      title: t('Name'),
      cell: ({ name, email, userId }) => (
        <span className="flex min-w-0 flex-col">
          <span className="line-clamp-2 font-medium" dir="auto">
            {name === '' ? email : name}
            {userId === user.userId && <span className="font-normal text-muted"> {t('(you)')}</span>}
          </span>
          {name !== '' && (
            <span className="truncate text-muted" title={email}>
              {email}
            </span>
          )}
        </span>
      ),
    },
    { key: 'role', title: t('Role'), width: 'w-28 sm:w-32', cell: ({ role }) => t(MEMBER_WORDS[role]) },
    {
      key: 'status',
      title: t('Status'),
      from: 'sm',
      width: 'w-28',
      cell: ({ status }) =>
        status === 'active' ? <Badge tone="good">{t('Active')}</Badge> : <Badge tone="warn">{t('Invited')}</Badge>,
    },
    { key: 'since', title: t('Since'), from: 'md', width: 'w-36', cell: ({ createdAt: at }) => <Ago at={at} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (member) => <MemberMenu member={member} onAction={onAction} />,
    },
  ]
}

function MemberMenu({ member, onAction }: { readonly member: Member; readonly onAction: OnAction }) {
  const t = useText()
  const may = useMay()
  const items: readonly MenuItem[] = [
    ...(may('updateMember')
      ? [{ label: t('Change role …'), icon: UserCog, onSelect: () => onAction('role', member) }]
      : []),
    ...(may('createPasswordLink')
      ? [
          {
            label: member.status === 'invited' ? t('New invitation link …') : t('New password link …'),
            icon: KeyRound,
            onSelect: () => onAction('link', member),
          },
        ]
      : []),
    ...(may('removeMember')
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
  const name = member.name === '' ? member.email : member.name
  return <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name })} />} />
}
