import type { Login } from '@parley/contract/session'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks for e-mail address and password. `email` is known where somebody signs in again. */
export function Credentials({
  email: known = '',
  onSignedIn,
}: {
  readonly email?: string
  readonly onSignedIn: (login: Login) => void | Promise<void>
}) {
  const t = useText()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [isGoingOn, setIsGoingOn] = useState(false)
  const login = useWrite('login')

  async function submit(): Promise<void> {
    const { value } = await login.mutateAsync({ body: { email, password } })
    setIsGoingOn(true)
    await onSignedIn(value)
  }

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        // What went wrong is shown below.
        void submit().catch(() => setIsGoingOn(false))
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
      {login.error && <ProblemNote problem={login.error} />}
      <Button kind="primary" type="submit" busy={login.isPending || isGoingOn}>
        {t('Sign in')}
      </Button>
    </form>
  )
}
