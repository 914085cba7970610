import type { Administrator } from '@parley/contract/member'
import { KeyRound, Trash2, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { DeleteDialog, Dialog } from '../../components/dialog.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useText } from '../../lib/language.ts'
import { useSession } from '../../lib/session/session.ts'
import { AddAdministrator, RenewInvitation } from './add-administrator.tsx'
import { type Administration, useProviderAdministration, useTenantAdministration } from './administration.ts'

interface AdministratorsDialogProps {
  /** Name of the account or provider. */
  readonly name: string
  readonly onClose: () => void
}

/** The administrators of an account, in a window. */
export function TenantAdministratorsDialog({
  tenantId,
  name,
  onClose,
}: AdministratorsDialogProps & { readonly tenantId: string }) {
  const t = useText()
  return (
    <Dialog open onOpenChange={onClose} size="wide" title={t('Administrators of {name}', { name })}>
      <Administrators administration={useTenantAdministration(tenantId)} />
    </Dialog>
  )
}

/** The administrators of a provider, in a window. */
export function ProviderAdministratorsDialog({
  providerId,
  name,
  onClose,
}: AdministratorsDialogProps & { readonly providerId: string }) {
  const t = useText()
  return (
    <Dialog open onOpenChange={onClose} size="wide" title={t('Administrators of {name}', { name })}>
      <Administrators administration={useProviderAdministration(providerId)} />
    </Dialog>
  )
}

/** The people who administer something, with what may be done. */
export function Administrators({ administration }: { readonly administration: Administration }) {
  const t = useText()
  const { rows, isPending, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = administration.pages
  const [isAdding, setIsAdding] = useState(false)
  const [removed, setRemoved] = useState<Administrator | null>(null)
  const [renewed, setRenewed] = useState<Administrator | null>(null)
  if (isPending && error === null) return <Skeleton lines={2} />
  if (error !== null) return <ProblemPanel problem={error} onRetry={() => void refetch()} />
  const close = (): void => {
    administration.reset()
    setIsAdding(false)
    setRemoved(null)
    setRenewed(null)
  }
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {rows.length === 0 && <p className="text-muted">{t('Nobody yet.')}</p>}
      <ul className="flex flex-col divide-y divide-line">
        {rows.map((person) => (
          <PersonRow
            key={person.userId}
            person={person}
            {...(administration.mayChange && {
              onRemove: () => setRemoved(person),
              ...(person.status === 'invited' && { onRenew: () => setRenewed(person) }),
            })}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="w-fit" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </Button>
      )}
      {administration.mayChange && (
        <Button icon={UserPlus} className="w-fit" onClick={() => setIsAdding(true)}>
          {t('Add administrator …')}
        </Button>
      )}
      {isAdding && <AddAdministrator administration={administration} onClose={close} />}
      {renewed && <RenewInvitation person={renewed} administration={administration} onClose={close} />}
      {removed && <RemoveAdministrator person={removed} administration={administration} onClose={close} />}
    </div>
  )
}

interface PersonRowProps {
  readonly person: Administrator
  readonly onRemove?: () => void
  readonly onRenew?: () => void
}

function PersonRow({ person, onRemove, onRenew }: PersonRowProps) {
  const t = useText()
  const { user } = useSession()
  const { name, email, status, userId } = person
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="flex min-w-0 flex-1 flex-col" dir="auto">
        <span className="line-clamp-2 font-medium">
          {name === '' ? email : name}
          {userId === user.userId && <span className="font-normal text-muted"> {t('(you)')}</span>}
        </span>
        {name !== '' && <span className="truncate text-muted">{email}</span>}
      </span>
      {status === 'invited' && <Badge tone="warn">{t('Invited')}</Badge>}
      {onRenew && (
        <IconButton
          icon={KeyRound}
          label={t('New invitation link for {name} …', { name: name === '' ? email : name })}
          onClick={onRenew}
        />
      )}
      {onRemove && (
        <IconButton
          icon={Trash2}
          label={t('Remove {name} …', { name: name === '' ? email : name })}
          onClick={onRemove}
        />
      )}
    </li>
  )
}

function RemoveAdministrator({
  person: { userId, name, email },
  administration,
  onClose,
}: {
  readonly person: Administrator
  readonly administration: Administration
  readonly onClose: () => void
}) {
  const t = useText()
  const { user } = useSession()
  const isOwn = userId === user.userId
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Remove {name}?', { name: name === '' ? email : name })}
      consequence={
        isOwn
          ? t('This is you: you administer it no more, and somebody else has to make you an administrator again.')
          : t('The person keeps memberships of workspaces. An account without any is deleted.')
      }
      {...(isOwn && { name: email })}
      label={t('Remove administrator')}
      isBusy={administration.isRemoving}
      problem={administration.removeProblem}
      onDelete={() =>
        void administration.remove(userId).then(
          () => {
            tell(t('The person is no administrator any more.'))
            onClose()
          },
          // What went wrong is shown in the window.
          () => undefined,
        )
      }
    />
  )
}
