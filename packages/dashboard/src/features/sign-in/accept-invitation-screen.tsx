import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { ProblemNote, ProblemPanel, Skeleton } from '../../components/states.tsx'
import { complain } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { sessionQuery, signOut } from '../../lib/session/session.ts'
import { ChoosePassword } from './choose-password.tsx'
import { Credentials } from './credentials.tsx'
import { FrontPage } from './front-page.tsx'
import { IncompleteLink, useLinkToken } from './link-token.tsx'

/** Where the link of an invitation leads: the person signs in, after choosing a password when new, and accepts. */
export function AcceptInvitationScreen() {
  const t = useText()
  const token = useLinkToken()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (token === '') return <IncompleteLink />
  return (
    <FrontPage title={t('You are invited')}>
      {session === undefined &&
        (error === null ? <Skeleton lines={2} /> : <ProblemPanel problem={error} onRetry={() => void refetch()} />)}
      {session === null && <Entrance token={token} onSignedIn={async () => void (await refetch())} />}
      {session && <Acceptance token={token} email={session.user.email} />}
    </FrontPage>
  )
}

interface EntranceProps {
  readonly token: string
  readonly onSignedIn: () => Promise<void>
}

/** The page does not reveal whether the address has an account: the person knows. */
function Entrance({ token, onSignedIn }: EntranceProps) {
  const t = useText()
  const [step, setStep] = useState<'start' | 'password' | 'password-set' | 'sign-in'>('start')
  if (step === 'start') {
    return (
      <>
        <p>{t('If you are new here, choose a password first. If you have an account, sign in.')}</p>
        <Button kind="primary" onClick={() => setStep('password')}>
          {t('Choose a password')}
        </Button>
        <Button onClick={() => setStep('sign-in')}>{t('Sign in')}</Button>
      </>
    )
  }
  const back = (
    <Button kind="quiet" onClick={() => setStep('start')}>
      {t('Back')}
    </Button>
  )
  if (step === 'password') {
    return (
      <>
        <ChoosePassword token={token} onSet={() => setStep('password-set')} />
        {back}
      </>
    )
  }
  return (
    <>
      <p>
        {step === 'sign-in'
          ? t('Sign in with the e-mail address that was invited.')
          : t('Your password is set. Sign in with it to accept.')}
      </p>
      <Credentials onSignedIn={onSignedIn} />
      {step === 'sign-in' && back}
    </>
  )
}

function Acceptance({ token, email }: { readonly token: string; readonly email: string }) {
  const t = useText()
  const client = useQueryClient()
  const router = useRouter()
  const accept = useWrite('acceptInvitation')
  const [isLeaving, setIsLeaving] = useState(false)
  const problem = useAcceptanceProblem(accept.error)

  async function enter(workspaceId: number | null): Promise<void> {
    client.clear()
    await router.invalidate()
    router.history.replace(workspaceId === null ? '/' : `/${workspaceId}`)
  }

  async function leave(): Promise<void> {
    setIsLeaving(true)
    try {
      await signOut(client)
      // The page begins anew, with the same link.
      location.reload()
    } catch {
      setIsLeaving(false)
      complain(t('Sign-out failed because the server is unreachable. Try again.'))
    }
  }

  return (
    <>
      <p>{t('You are signed in as {email}.', { email })}</p>
      {problem && <ProblemNote problem={problem} />}
      {accept.error?.code === 'link_invalid' ? (
        <Link to="/" className={buttonClass('primary')}>
          {t('Back to home')}
        </Link>
      ) : (
        <Button
          kind="primary"
          busy={accept.isPending || accept.isSuccess}
          onClick={() =>
            accept.mutate({ body: { token } }, { onSuccess: ({ value }) => void enter(value.workspaceId) })
          }
        >
          {t('Accept invitation')}
        </Button>
      )}
      <Button busy={isLeaving} onClick={() => void leave()}>
        {t('Sign out and use another account')}
      </Button>
    </>
  )
}

/** In the language of the page. The usual message for `forbidden` would not help here. */
function useAcceptanceProblem(error: Problem | null): Problem | null {
  const t = useText()
  const texts: Readonly<Partial<Record<Problem['code'], string>>> = {
    forbidden: t('This invitation is for somebody else. Sign out, and sign in as the person whom it is for.'),
    link_invalid: t('This invitation was accepted or revoked, or has ended. Ask an administrator for a new link.'),
    in_use: t('You administer something already, and one person can administer one thing only.'),
  }
  const text = error === null ? undefined : texts[error.code]
  return text === undefined ? error : new Problem(text, { code: 'link_invalid' })
}
