import type { Login, LoginBody } from '@parley/contract/session'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'

interface CredentialsProps {
  readonly email?: string
  readonly onSignedIn: (login: Login) => void | Promise<void>
}

/** Renders the sign-in form. Pass `email` when a user signs in again. */
export function Credentials({ email: initialEmail = '', onSignedIn }: CredentialsProps) {
  const t = useText()
  const [email, setEmail] = useState(initialEmail)
  const [password, setPassword] = useState('')
  const { submit, isBusy, problem } = useLogin(onSignedIn)
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit({ email, password })
      }}
    >
      <TextField
        label={t('Email address')}
        type="email"
        autoComplete="username"
        autoFocus={initialEmail === ''}
        value={email}
        onChange={setEmail}
        required
      />
      <TextField
        label={t('Password')}
        type="password"
        autoComplete="current-password"
        autoFocus={initialEmail !== ''}
        value={password}
        onChange={setPassword}
        required
      />
      {problem && <ProblemNote problem={problem} />}
      <Button kind="primary" type="submit" busy={isBusy}>
        {t('Sign in')}
      </Button>
    </form>
  )
}

/** Signs in and then calls `onSignedIn`. `problem` reports a failure of either step. */
function useLogin(onSignedIn: CredentialsProps['onSignedIn']) {
  const t = useText()
  const [isFinishing, setIsFinishing] = useState(false)
  const [callbackError, setCallbackError] = useState<Error | null>(null)
  const login = useWrite('login')

  function submit(body: LoginBody): void {
    setCallbackError(null)
    login.mutate({ body }, { onSuccess: ({ value }) => void finishSignIn(value) })
  }

  async function finishSignIn(value: Login): Promise<void> {
    setIsFinishing(true)
    try {
      await onSignedIn(value)
    } catch (error) {
      setCallbackError(error instanceof Error ? error : new Error(String(error)))
      setIsFinishing(false)
    }
  }

  const isRejected = login.error?.code === 'unauthorized'
  const credentialsProblem = new Problem(t('Incorrect email or password.'), { code: 'unauthorized' })
  const problem = isRejected ? credentialsProblem : (login.error ?? callbackError)
  return { submit, isBusy: login.isPending || isFinishing, problem }
}

/** Sets a password with the token from a link. */
export function ChoosePassword({ token, onSet }: { readonly token: string; readonly onSet: () => void }) {
  const t = useText()
  const [password, setPassword] = useState('')
  const resetPassword = useWrite('resetPassword')
  const linkProblem = new Problem(t('This link is invalid or has expired. Sign in or ask for a new link.'), {
    code: 'link_invalid',
  })
  const problem = resetPassword.error?.code === 'link_invalid' ? linkProblem : resetPassword.error
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        resetPassword.mutate({ body: { token, newPassword: password } }, { onSuccess: onSet })
      }}
    >
      <FieldProblems details={resetPassword.error?.details ?? []}>
        <TextField
          label={t('New password')}
          help={t('At least 10 characters')}
          name="newPassword"
          type="password"
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={setPassword}
        />
      </FieldProblems>
      {problem && <ProblemNote problem={problem} />}
      <Button kind="primary" type="submit" busy={resetPassword.isPending}>
        {t('Set password')}
      </Button>
    </form>
  )
}
