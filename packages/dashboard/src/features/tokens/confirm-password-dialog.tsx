import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks for the password before a request that the server allows only shortly after it was entered. */
export function ConfirmPasswordDialog({
  onConfirmed,
  onClose,
}: {
  readonly onConfirmed: () => void
  readonly onClose: () => void
}) {
  const t = useText()
  const [password, setPassword] = useState('')
  const confirm = useWrite('confirmPassword')
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Confirm your password')}
      description={t('You signed in a while ago. Enter your password to create the token.')}
      submitLabel={t('Confirm')}
      isBusy={confirm.isPending}
      canSubmit={password !== ''}
      problem={confirm.error}
      onSubmit={() => confirm.mutate({ body: { password } }, { onSuccess: onConfirmed })}
    >
      <FieldProblems details={confirm.error?.details ?? []}>
        <TextField
          label={t('Password')}
          name="password"
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={setPassword}
        />
      </FieldProblems>
    </FormDialog>
  )
}
