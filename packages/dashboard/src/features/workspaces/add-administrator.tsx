import type { AdministratorAdded } from '@parley/contract/member'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SecretOnce } from '../../components/copy-button.tsx'
import { Dialog, FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { Moment } from '../../components/moment.tsx'
import { tell } from '../../components/toasts.tsx'
import { useText } from '../../lib/language.ts'
import type { Administration } from './administration.ts'

interface AddAdministratorProps {
  readonly administration: Administration
  readonly onClose: () => void
}

/** Makes somebody an administrator; for a new person there is a link to hand over. */
export function AddAdministrator({ administration, onClose }: AddAdministratorProps) {
  const t = useText()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [added, setAdded] = useState<AdministratorAdded | null>(null)
  if (added !== null) return <InvitationShown added={added} onClose={onClose} />

  async function submit(): Promise<void> {
    const person = { email: email.trim(), name: name.trim() === '' ? null : name.trim() }
    const answer = await administration.add(person)
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
      canSubmit={email.trim() !== ''}
      problem={administration.addProblem}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={administration.addProblem?.details ?? []}>
        <TextField
          label={t('E-mail address')}
          name="email"
          type="email"
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
        <TextField
          label={t('Name')}
          help={t('Who has an account already keeps its name.')}
          name="name"
          isOptional
          maxLength={200}
          autoComplete="off"
          value={name}
          onChange={setName}
        />
      </FieldProblems>
    </FormDialog>
  )
}

function InvitationShown({
  added: { email, inviteUrl, inviteExpiresAt },
  onClose,
}: {
  readonly added: AdministratorAdded
  readonly onClose: () => void
}) {
  const t = useText()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('{email} is invited', { email })}
      description={t('Hand this link over yourself: no mail is sent. Whoever opens it chooses the password.')}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <SecretOnce value={inviteUrl ?? ''} label={t('Link')} />
      <p className="text-muted">
        {t('It works once, until')} <Moment at={inviteExpiresAt} />
      </p>
    </Dialog>
  )
}
