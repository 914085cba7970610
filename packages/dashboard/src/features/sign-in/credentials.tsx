import type { Login, LoginBody } from '@parley/contract/session'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'

interface CredentialsProps {
  readonly email?: string
  readonly onSignedIn: (login: Login) => void | Promise<void>
}

/** Asks for e-mail address and password. `email` is known where somebody signs in again. */
export function Credentials({ email: known = '', onSignedIn }: CredentialsProps) {
  const t = useText()
  const [email, setEmail] = useState(known)
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
        label={t('E-mail address')}
        type="email"
        autoComplete="username"
        autoFocus={known === ''}
        value={email}
        onChange={setEmail}
        required
      />
      <TextField
        label={t('Password')}
        type="password"
        autoComplete="current-password"
        autoFocus={known !== ''}
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

/** Signs in and goes on; what follows may fail as well. */
function useLogin(onSignedIn: CredentialsProps['onSignedIn']) {
  const t = useText()
  const [isGoingOn, setIsGoingOn] = useState(false)
  const [goingProblem, setGoingProblem] = useState<Error | null>(null)
  const login = useWrite('login')

  function submit(body: LoginBody): void {
    setGoingProblem(null)
    login.mutate({ body }, { onSuccess: ({ value }) => void goOn(value) })
  }

  async function goOn(value: Login): Promise<void> {
    setIsGoingOn(true)
    try {
      await onSignedIn(value)
    } catch (error) {
      setGoingProblem(error instanceof Error ? error : new Error(String(error)))
      setIsGoingOn(false)
    }
  }

  const isWrong = login.error?.code === 'unauthorized'
  const wrong = new Problem(t('The e-mail address or the password is wrong.'), { code: 'unauthorized' })
  const problem = isWrong ? wrong : (login.error ?? goingProblem)
  return { submit, isBusy: login.isPending || isGoingOn, problem }
}
