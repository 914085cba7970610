import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { FrontPage } from './front-page.tsx'

/** The secret of the link stands behind `#`, so that it is in no log. */
const tokenOfLink = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

/** Sets a password with the link that an administrator has made: for a new person, or one who has forgotten it. */
export function ResetPasswordScreen() {
  const t = useText()
  const [token] = useState(tokenOfLink)
  const [password, setPassword] = useState('')
  const reset = useWrite('resetPassword')
  if (token === '') {
    return (
      <FrontPage title={t('The link is not complete')}>
        <p>{t('Copy the whole link, with everything behind the # sign, or ask for a new one.')}</p>
      </FrontPage>
    )
  }
  if (reset.isSuccess) {
    return (
      <FrontPage title={t('Your password is set')}>
        <Link to="/sign-in" className={buttonClass('primary')}>
          {t('Sign in')}
        </Link>
      </FrontPage>
    )
  }
  return (
    <FrontPage title={t('Choose a password')}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          reset.mutate({ body: { token, newPassword: password } })
        }}
      >
        <FieldProblems details={reset.error?.details ?? []}>
          <TextField
            label={t('New password')}
            help={t('At least 10 characters.')}
            name="newPassword"
            type="password"
            autoComplete="new-password"
            autoFocus
            value={password}
            onChange={setPassword}
          />
        </FieldProblems>
        {reset.error && <ProblemNote problem={reset.error} />}
        <Button kind="primary" type="submit" busy={reset.isPending}>
          {t('Set password')}
        </Button>
      </form>
    </FrontPage>
  )
}
