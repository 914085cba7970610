import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buildButtonClass } from '../../components/button.tsx'
import { ProblemNote, ProblemPanel, Skeleton } from '../../components/states.tsx'
import { notifyError } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { sessionQuery, signOut } from '../../lib/session/session.ts'
import { ChoosePassword, Credentials } from './credentials.tsx'
import { IncompleteLink, SignInLayout, useLinkToken } from './sign-in-layout.tsx'

/** Renders the page of an invitation link. New users choose a password before they sign in. */
export function AcceptInvitationScreen() {
  const t = useText()
  const token = useLinkToken()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (token === '') return <IncompleteLink />
  return (
    <SignInLayout title={t('You are invited')}>
      {session === undefined &&
        (error === null ? <Skeleton lines={2} /> : <ProblemPanel problem={error} onRetry={() => void refetch()} />)}
      {session === null && <SignInSteps token={token} onSignedIn={async () => void (await refetch())} />}
      {session && <AcceptInvitation token={token} email={session.user.email} />}
    </SignInLayout>
  )
}

interface SignInStepsProps {
  readonly token: string
  readonly onSignedIn: () => Promise<void>
}

/** Asks whether the user is new, because the page must not reveal whether the email address has an account. */
function SignInSteps({ token, onSignedIn }: SignInStepsProps) {
  const t = useText()
  const [step, setStep] = useState<'start' | 'password' | 'password-set' | 'sign-in'>('start')
  if (step === 'start') {
    return (
      <>
        <p>{t('New here? Choose a password first. Otherwise, sign in.')}</p>
        <Button kind="primary" onClick={() => setStep('password')}>
          {t('Choose a password')}
        </Button>
        <Button onClick={() => setStep('sign-in')}>{t('Sign in')}</Button>
      </>
    )
  }
  const backButton = (
    <Button kind="quiet" onClick={() => setStep('start')}>
      {t('Back')}
    </Button>
  )
  if (step === 'password') {
    return (
      <>
        <ChoosePassword token={token} onSet={() => setStep('password-set')} />
        {backButton}
      </>
    )
  }
  return (
    <>
      <p>
        {step === 'sign-in'
          ? t('Sign in with the invited email address.')
          : t('Password set. Sign in to accept the invitation.')}
      </p>
      <Credentials onSignedIn={onSignedIn} />
      {step === 'sign-in' && backButton}
    </>
  )
}

function AcceptInvitation({ token, email }: { readonly token: string; readonly email: string }) {
  const t = useText()
  const client = useQueryClient()
  const router = useRouter()
  const acceptInvitation = useWrite('acceptInvitation')
  const [isSigningOut, setIsSigningOut] = useState(false)
  const problem = useInvitationProblem(acceptInvitation.error)

  async function openWorkspace(workspaceId: number | null): Promise<void> {
    client.clear()
    await router.invalidate()
    router.history.replace(workspaceId === null ? '/' : `/${workspaceId}`)
  }

  async function switchAccount(): Promise<void> {
    setIsSigningOut(true)
    try {
      await signOut(client)
      location.reload()
    } catch {
      setIsSigningOut(false)
      notifyError(t('Sign-out failed because the server is unreachable. Try again.'))
    }
  }

  return (
    <>
      <p>{t('You are signed in as {email}.', { email })}</p>
      {problem && <ProblemNote problem={problem} />}
      {acceptInvitation.error?.code === 'link_invalid' ? (
        <Link to="/" className={buildButtonClass('primary')}>
          {t('Back to home')}
        </Link>
      ) : (
        <Button
          kind="primary"
          busy={acceptInvitation.isPending || acceptInvitation.isSuccess}
          onClick={() =>
            acceptInvitation.mutate(
              { body: { token } },
              { onSuccess: ({ value }) => void openWorkspace(value.workspaceId) },
            )
          }
        >
          {t('Accept invitation')}
        </Button>
      )}
      <Button busy={isSigningOut} onClick={() => void switchAccount()}>
        {t('Sign out and use another account')}
      </Button>
    </>
  )
}

function useInvitationProblem(error: Problem | null): Problem | null {
  const t = useText()
  const problemMessages: Readonly<Partial<Record<Problem['code'], string>>> = {
    forbidden: t('This invitation is for someone else. Sign out and sign in as the invited person.'),
    link_invalid: t('This invitation was accepted, was revoked or has expired. Ask an administrator for a new link.'),
    in_use: t('You already administer an account or provider. A person can administer only one.'),
  }
  const problemMessage = error === null ? undefined : problemMessages[error.code]
  return problemMessage === undefined ? error : new Problem(problemMessage, { code: 'link_invalid' })
}
