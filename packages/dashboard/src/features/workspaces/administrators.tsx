import type { Administrator, AdministratorAdded } from '@parley/contract/member'
import { KeyRound, Trash2, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { type Pages, usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useSession } from '../../lib/session/session.ts'
import { LinkDialog } from '../../parts/people/link-dialog.tsx'
import { PersonFields } from '../../parts/people/person-fields.tsx'
import { EMPTY_PERSON, toPersonFields } from '../../parts/people/person-input.ts'

/** The account or provider that people administer. */
type Owner = { readonly tenantId: string } | { readonly providerId: string }

interface DialogProps {
  /** Name of the account or provider. */
  readonly name: string
  readonly onClose: () => void
}

export function TenantAdministratorsDialog({ tenantId, name, onClose }: DialogProps & { readonly tenantId: string }) {
  const t = useText()
  return (
    <Dialog open onOpenChange={onClose} size="wide" title={t('Administrators of {name}', { name })}>
      <TenantAdministrators tenantId={tenantId} />
    </Dialog>
  )
}

export function ProviderAdministratorsDialog({
  providerId,
  name,
  onClose,
}: DialogProps & { readonly providerId: string }) {
  const t = useText()
  const pages = usePages('listProviderAdmins', { path: { providerId } })
  return (
    <Dialog open onOpenChange={onClose} size="wide" title={t('Administrators of {name}', { name })}>
      <Administrators owner={{ providerId }} pages={pages} />
    </Dialog>
  )
}

export function TenantAdministrators({ tenantId }: { readonly tenantId: string }) {
  return <Administrators owner={{ tenantId }} pages={usePages('listTenantAdmins', { path: { tenantId } })} />
}

interface AdministratorsProps {
  readonly owner: Owner
  readonly pages: Pages<Administrator>
}

function Administrators({ owner, pages }: AdministratorsProps) {
  const t = useText()
  const can = useCan()
  const canEdit = can('tenantId' in owner ? 'addTenantAdmin' : 'addProviderAdmin')
  const { rows, isPending, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages
  const [isAdding, setIsAdding] = useState(false)
  const [removedPerson, setRemovedPerson] = useState<Administrator | null>(null)
  const [invitedPerson, setInvitedPerson] = useState<Administrator | null>(null)
  const [addedAdministrator, setAddedAdministrator] = useState<AdministratorAdded | null>(null)
  if (isPending && error === null) return <Skeleton lines={2} />
  if (error !== null) return <ProblemPanel problem={error} onRetry={() => void refetch()} />
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {rows.length === 0 && <p className="text-muted">{t('No administrators yet')}</p>}
      <ul className="flex flex-col divide-y divide-line">
        {rows.map((person) => (
          <PersonRow
            key={person.userId}
            person={person}
            {...(canEdit && {
              onRemove: () => setRemovedPerson(person),
              ...(person.status === 'invited' && { onRenew: () => setInvitedPerson(person) }),
            })}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="w-fit" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </Button>
      )}
      {canEdit && (
        <Button icon={UserPlus} className="w-fit" onClick={() => setIsAdding(true)}>
          {t('Add administrator…')}
        </Button>
      )}
      {isAdding && <AddDialog owner={owner} onAdded={setAddedAdministrator} onClose={() => setIsAdding(false)} />}
      {invitedPerson && (
        <OperationDialog
          {...buildAddRequest(owner, { email: invitedPerson.email, name: null })}
          title={t('Create a new invitation link for {name}?', { name: getDisplayName(invitedPerson) })}
          description={t('The previous link stops working.')}
          submitLabel={t('Create link')}
          onSuccess={setAddedAdministrator}
          onClose={() => setInvitedPerson(null)}
        />
      )}
      {removedPerson && <RemoveDialog owner={owner} person={removedPerson} onClose={() => setRemovedPerson(null)} />}
      {addedAdministrator && (
        <LinkDialog
          isInvitation
          title={t('{email} invited', { email: addedAdministrator.email })}
          url={addedAdministrator.inviteUrl}
          expiresAt={addedAdministrator.inviteExpiresAt}
          onClose={() => setAddedAdministrator(null)}
        />
      )}
    </div>
  )
}

const getDisplayName = ({ name, email }: Administrator): string => (name === '' ? email : name)

/** Builds a request that adds an administrator. Both operations have the same request and response. */
function buildAddRequest(owner: Owner, body: { readonly email: string; readonly name: string | null }) {
  return 'tenantId' in owner
    ? ({ operation: 'addTenantAdmin', params: { path: owner, body }, invalidates: ['listTenantAdmins'] } as const)
    : ({ operation: 'addProviderAdmin', params: { path: owner, body }, invalidates: ['listProviderAdmins'] } as const)
}

function buildRemoveRequest(owner: Owner, userId: string) {
  return 'tenantId' in owner
    ? ({
        operation: 'removeTenantAdmin',
        params: { path: { ...owner, userId } },
        invalidates: ['listTenantAdmins', 'getSession'],
      } as const)
    : ({
        operation: 'removeProviderAdmin',
        params: { path: { ...owner, userId } },
        invalidates: ['listProviderAdmins', 'getSession'],
      } as const)
}

interface PersonRowProps {
  readonly person: Administrator
  readonly onRemove?: () => void
  readonly onRenew?: () => void
}

function PersonRow({ person, onRemove, onRenew }: PersonRowProps) {
  const t = useText()
  const { user } = useSession()
  const name = getDisplayName(person)
  return (
    <li className="flex items-center gap-3 py-2">
      <span className="flex min-w-0 flex-1 flex-col" dir="auto">
        <span className="line-clamp-2 font-medium">
          {name}
          {person.userId === user.userId && <span className="font-normal text-muted"> {t('(you)')}</span>}
        </span>
        {person.name !== '' && <span className="truncate text-muted">{person.email}</span>}
      </span>
      {person.status === 'invited' && <Badge tone="warn">{t('Invited')}</Badge>}
      {onRenew && (
        <IconButton icon={KeyRound} label={t('New invitation link for {name}…', { name })} onClick={onRenew} />
      )}
      {onRemove && <IconButton icon={Trash2} label={t('Remove {name}…', { name })} onClick={onRemove} />}
    </li>
  )
}

interface AddDialogProps {
  readonly owner: Owner
  readonly onAdded: (administrator: AdministratorAdded) => void
  readonly onClose: () => void
}

/** Invites an administrator and displays the link to send. */
function AddDialog({ owner, onAdded, onClose }: AddDialogProps) {
  const t = useText()
  const [person, setPerson] = useState(EMPTY_PERSON)
  return (
    <OperationDialog
      {...buildAddRequest(owner, toPersonFields(person))}
      title={t('Add an administrator')}
      description={t('A person can administer one account or provider only.')}
      submitLabel={t('Add administrator')}
      canSubmit={person.email.trim() !== ''}
      onSuccess={onAdded}
      onClose={onClose}
    >
      <PersonFields value={person} onChange={setPerson} />
    </OperationDialog>
  )
}

interface RemoveDialogProps {
  readonly owner: Owner
  readonly person: Administrator
  readonly onClose: () => void
}

function RemoveDialog({ owner, person, onClose }: RemoveDialogProps) {
  const t = useText()
  const { user } = useSession()
  const isSelf = person.userId === user.userId
  return (
    <ConfirmDialog
      {...buildRemoveRequest(owner, person.userId)}
      title={t('Remove {name}?', { name: getDisplayName(person) })}
      description={
        isSelf
          ? t('You are removing yourself. Only another administrator can add you again.')
          : t('Workspace memberships are kept. A user without memberships is deleted.')
      }
      {...(isSelf && { name: person.email })}
      label={t('Remove administrator')}
      successMessage={t('Administrator removed')}
      onClose={onClose}
    />
  )
}
