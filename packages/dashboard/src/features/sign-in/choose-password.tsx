import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'

/** Sets a password with the token of a link. */
export function ChoosePassword({ token, onSet }: { readonly token: string; readonly onSet: () => void }) {
  const t = useText()
  const [password, setPassword] = useState('')
  const reset = useWrite('resetPassword')
  const useless = new Problem(
    t('This link sets no password: it was used or has ended, or you have a password. Sign in, or ask for a new link.'),
    { code: 'link_invalid' },
  )
  const problem = reset.error?.code === 'link_invalid' ? useless : reset.error
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        reset.mutate({ body: { token, newPassword: password } }, { onSuccess: onSet })
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
      {problem && <ProblemNote problem={problem} />}
      <Button kind="primary" type="submit" busy={reset.isPending}>
        {t('Set password')}
      </Button>
    </form>
  )
}
