import type { ApiToken } from '@parley/contract/token'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Ticket, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import type { Column } from '../../components/data-list.tsx'
import { ListScreen } from '../../components/list-screen.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { guardScreen } from '../../components/screen.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useNow } from '../../lib/clock.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession, useWorkspaces } from '../../lib/session/session.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'

const MAX_MEMBERS = 1_000

export const TokensScreen = guardScreen('listTokens', message('API tokens'), Tokens)

/** Lists the API tokens of the current user or of another member. */
function Tokens() {
  const t = useText()
  const can = useCan()
  const { userId } = useSearch({ from: '/signed-in/$workspaceId/tokens' })
  const [revokedToken, setRevokedToken] = useState<ApiToken | null>(null)
  const isCurrentUser = userId === undefined
  return (
    <ListScreen
      title={t('API tokens')}
      description={t('Tokens give programs access to the API. A token never has more permissions than its owner.')}
      createAction={{
        label: t('New token'),
        isAllowed: isCurrentUser && can('createToken'),
        dialog: (onClose) => <NewTokenDialog onClose={onClose} />,
      }}
      filters={can('listMembers') && <OwnerField />}
      pages={usePages('listTokens', { query: isCurrentUser ? {} : { userId } })}
      columns={useColumns(setRevokedToken)}
      getRowKey={({ tokenId }) => tokenId}
      emptyState={{
        icon: Ticket,
        title: t('No tokens yet'),
        children: isCurrentUser
          ? t('Create one token per program so that you can revoke each token separately.')
          : t('This person has no tokens.'),
      }}
    >
      {revokedToken && (
        <ConfirmDialog
          operation="deleteToken"
          params={{ path: { tokenId: revokedToken.tokenId } }}
          invalidates={['listTokens']}
          title={t('Revoke token?')}
          description={t('Programs that use “{name}” lose access immediately. This cannot be undone.', {
            name: revokedToken.name,
          })}
          label={t('Revoke token')}
          successMessage={t('Token revoked')}
          onClose={() => setRevokedToken(null)}
        />
      )}
    </ListScreen>
  )
}

/** Selects the token owner. The URL stores the selection. */
function OwnerField() {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { user } = useSession()
  const { userId } = useSearch({ from: '/signed-in/$workspaceId/tokens' })
  const navigate = useNavigate({ from: '/$workspaceId/tokens' })
  const members = useRead('listMembers', { path: { workspaceId }, query: { limit: MAX_MEMBERS } })
  const choices = (members.data ?? []).filter((member) => member.userId !== user.userId)
  return (
    <RecordField
      className="sm:max-w-xs"
      label={t('Owner')}
      emptyLabel={t('You')}
      value={userId ?? null}
      choices={choices.map(({ userId: id, name, email }) => ({ id, label: name || email, hint: email }))}
      isLoading={members.isPending}
      onChange={(selectedUserId) =>
        void navigate({ search: selectedUserId === null ? {} : { userId: selectedUserId } })
      }
    />
  )
}

function useColumns(onRevoke: (token: ApiToken) => void): readonly Column<ApiToken>[] {
  const t = useText()
  const can = useCan()
  return [
    { key: 'name', title: t('Name'), cell: (token) => <TokenName token={token} /> },
    {
      key: 'scopes',
      title: t('Scopes'),
      visibleFrom: 'sm',
      width: 'w-56',
      cell: ({ scopes }) => <ScopeBadges scopes={scopes} />,
    },
    {
      key: 'workspaces',
      title: t('Workspaces'),
      visibleFrom: 'lg',
      width: 'w-48',
      cell: ({ workspaceIds }) => <WorkspaceNames ids={workspaceIds} />,
    },
    {
      key: 'used',
      title: t('Last used'),
      visibleFrom: 'md',
      width: 'w-36',
      cell: ({ lastUsedAt }) => <LastUsed time={lastUsedAt} />,
    },
    {
      key: 'expires',
      title: t('Expires'),
      visibleFrom: 'md',
      width: 'w-44',
      cell: ({ expiresAt }) => <ExpiryTime time={expiresAt} />,
    },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (token) =>
        can('deleteToken') && (
          <IconButton icon={Trash2} label={t('Revoke {name}', { name: token.name })} onClick={() => onRevoke(token)} />
        ),
    },
  ]
}

/** Displays the name and, on small screens, the values of hidden columns. */
function TokenName({ token: { name, scopes, lastUsedAt } }: { readonly token: ApiToken }) {
  const t = useText()
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="line-clamp-2 font-medium">{name}</span>
      <span className="sm:hidden">
        <ScopeBadges scopes={scopes} />
      </span>
      <span className="text-xs text-muted md:hidden">
        {t('Last used')}: <LastUsed time={lastUsedAt} />
      </span>
    </span>
  )
}

function ScopeBadges({ scopes }: Pick<ApiToken, 'scopes'>) {
  return (
    <span className="flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Badge key={scope}>{scope}</Badge>
      ))}
    </span>
  )
}

function WorkspaceNames({ ids }: { readonly ids: readonly number[] | null }) {
  const t = useText()
  const workspaces = useWorkspaces()
  if (ids === null) return t('All')
  const names = ids.map((id) => workspaces.find((workspace) => workspace.id === id)?.name ?? String(id))
  return (
    <span className="line-clamp-2" title={names.join(', ')}>
      {names.join(', ')}
    </span>
  )
}

function LastUsed({ time }: { readonly time: string | null }) {
  const t = useText()
  return time === null ? <span className="text-muted">{t('Never')}</span> : <RelativeTime time={time} />
}

function ExpiryTime({ time }: { readonly time: string | null }) {
  const t = useText()
  const nowMs = useNow()
  if (time === null) return <span className="text-muted">{t('Never')}</span>
  return Date.parse(time) <= nowMs ? <Badge tone="bad">{t('Expired')}</Badge> : <DateTime time={time} />
}
