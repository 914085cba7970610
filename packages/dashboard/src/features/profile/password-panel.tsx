import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Changes the password, which ends all other sessions. */
export function PasswordPanel() {
  const t = useText()
  const { typed, type, change, submit } = usePasswordChange()
  return (
    <Panel
      title={t('Password')}
      description={t('Changing it ends all other sessions and invalidates password links. API tokens stay valid.')}
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <FieldProblems details={change.error?.details ?? []}>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t('Current password')}
              name="currentPassword"
              type="password"
              autoComplete="current-password"
              value={typed.currentPassword}
              onChange={type('currentPassword')}
            />
            <TextField
              label={t('New password')}
              help={t('At least 10 characters')}
              name="newPassword"
              type="password"
              autoComplete="new-password"
              value={typed.newPassword}
              onChange={type('newPassword')}
            />
          </div>
        </FieldProblems>
        {change.error && <ProblemNote problem={change.error} />}
        <Button
          type="submit"
          kind="primary"
          className="w-fit"
          busy={change.isPending}
          disabled={typed.currentPassword === '' || typed.newPassword === ''}
        >
          {t('Change password')}
        </Button>
      </form>
    </Panel>
  )
}

const EMPTY = { currentPassword: '', newPassword: '' }

function usePasswordChange() {
  const t = useText()
  const [typed, setTyped] = useState(EMPTY)
  const change = useWrite('changePassword', { refreshes: ['listSessions'] })
  const onSuccess = (): void => {
    setTyped(EMPTY)
    tell(t('Password changed'))
  }
  return {
    typed,
    type: (field: keyof typeof EMPTY) => (text: string) => setTyped((before) => ({ ...before, [field]: text })),
    change,
    submit: () => change.mutate({ body: typed }, { onSuccess }),
  }
}
