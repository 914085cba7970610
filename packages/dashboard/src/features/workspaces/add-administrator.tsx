import type { Administrator, AdministratorAdded } from '@parley/contract/member'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { useText } from '../../lib/language.ts'
import { LinkShown } from '../../parts/people/link-shown.tsx'
import { PersonFields } from '../../parts/people/person-fields.tsx'
import { NOBODY, personFields } from '../../parts/people/typed-person.ts'
import type { Administration } from './administration.ts'

interface AddAdministratorProps {
  readonly administration: Administration
  readonly onClose: () => void
}

/** Invites an administrator, with a link to hand over. */
export function AddAdministrator({ administration, onClose }: AddAdministratorProps) {
  const t = useText()
  const [person, setPerson] = useState(NOBODY)
  const [added, setAdded] = useState<AdministratorAdded | null>(null)
  if (added !== null) return <InvitedShown added={added} onClose={onClose} />

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Add an administrator')}
      description={t(
        'A person can administer one account or provider. Someone who administers another one cannot accept.',
      )}
      submitLabel={t('Add administrator')}
      isBusy={administration.isAdding}
      canSubmit={person.email.trim() !== ''}
      problem={administration.addProblem}
      onSubmit={() => void administration.add(personFields(person)).then(setAdded, () => undefined)}
    >
      <FieldProblems details={administration.addProblem?.details ?? []}>
        <PersonFields value={person} onChange={setPerson} />
      </FieldProblems>
    </FormDialog>
  )
}

/** Makes a new link for an administrator who has not accepted. */
export function RenewInvitation({
  person: { email, name },
  administration,
  onClose,
}: AddAdministratorProps & { readonly person: Administrator }) {
  const t = useText()
  const [added, setAdded] = useState<AdministratorAdded | null>(null)
  if (added !== null) return <InvitedShown added={added} onClose={onClose} />
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Make a new invitation link for {name}?', { name: name === '' ? email : name })}
      description={t('The earlier link stops working.')}
      submitLabel={t('Make link')}
      isBusy={administration.isAdding}
      problem={administration.addProblem}
      onSubmit={() => void administration.add({ email, name: null }).then(setAdded, () => undefined)}
    />
  )
}

function InvitedShown({ added, onClose }: { readonly added: AdministratorAdded; readonly onClose: () => void }) {
  const t = useText()
  return (
    <LinkShown
      isInvitation
      title={t('{email} is invited', { email: added.email })}
      url={added.inviteUrl}
      expiresAt={added.inviteExpiresAt}
      onClose={onClose}
    />
  )
}
