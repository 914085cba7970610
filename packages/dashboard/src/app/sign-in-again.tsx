import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../components/dialog.tsx'
import { Credentials } from '../features/sign-in/credentials.tsx'
import { openGate } from '../lib/api/sign-in-gate.ts'
import { useText } from '../lib/language.ts'
import { sessionQuery } from '../lib/session/session.ts'

/** Prompts the user to sign in again without leaving the page, so that no input is lost. */
export function SignInAgain() {
  const t = useText()
  const client = useQueryClient()
  const previousSession = client.getQueryData(sessionQuery.queryKey)
  return (
    <Dialog
      open
      onOpenChange={() => undefined}
      title={t('Sign in again')}
      description={t('Your session has expired. Nothing you typed is lost.')}
    >
      <Credentials
        email={previousSession?.user.email ?? ''}
        onSignedIn={async ({ user }) => {
          // A different user must not see the first user's screen.
          if (previousSession && previousSession.user.userId !== user.userId) {
            sessionStorage.clear()
            location.assign('/')
            return
          }
          openGate()
          await client.invalidateQueries()
        }}
      />
    </Dialog>
  )
}
