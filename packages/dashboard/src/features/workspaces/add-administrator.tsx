import type { AdministratorAdded } from '@parley/contract/member'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useText } from '../../lib/language.ts'
import { LinkShown } from '../../parts/people/link-shown.tsx'
import { PersonFields } from '../../parts/people/person-fields.tsx'
import { NOBODY, personFields } from '../../parts/people/typed-person.ts'
import type { Administration } from './administration.ts'

interface AddAdministratorProps {
  readonly administration: Administration
  readonly onClose: () => void
}

/** Makes somebody an administrator; for a new person there is a link to hand over. */
export function AddAdministrator({ administration, onClose }: AddAdministratorProps) {
  const t = useText()
  const [person, setPerson] = useState(NOBODY)
  const [added, setAdded] = useState<AdministratorAdded | null>(null)
  if (added !== null && added.inviteUrl !== null && added.inviteExpiresAt !== null) {
    return (
      <LinkShown
        title={t('{email} is invited', { email: added.email })}
        url={added.inviteUrl}
        expiresAt={added.inviteExpiresAt}
        onClose={onClose}
      />
    )
  }

  async function submit(): Promise<void> {
    const answer = await administration.add(personFields(person))
    if (answer.inviteUrl !== null) return setAdded(answer)
    tell(
      t('{email} is an administrator from now on, with the account that there was already.', { email: answer.email }),
    )
    onClose()
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Add an administrator')}
      description={t('One person administers one thing: whoever administers another is refused.')}
      submitLabel={t('Add administrator')}
      isBusy={administration.isAdding}
      canSubmit={person.email.trim() !== ''}
      problem={administration.addProblem}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={administration.addProblem?.details ?? []}>
        <PersonFields value={person} onChange={setPerson} />
      </FieldProblems>
    </FormDialog>
  )
}
