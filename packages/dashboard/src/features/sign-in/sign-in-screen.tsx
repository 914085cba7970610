import { useQueryClient } from '@tanstack/react-query'
import { Link, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { buildButtonClass } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import { ChoosePassword, Credentials } from './credentials.tsx'
import { IncompleteLink, SignInLayout, useLinkToken } from './sign-in-layout.tsx'

export function SignInScreen() {
  const t = useText()
  const client = useQueryClient()
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })

  async function openNextPage(): Promise<void> {
    client.clear()
    await router.invalidate()
    router.history.replace(next ?? '/')
  }

  return (
    <SignInLayout title={t('Sign in')}>
      <Credentials onSignedIn={openNextPage} />
      <p className="text-muted">{t('Forgot your password? Ask a workspace administrator for a reset link.')}</p>
    </SignInLayout>
  )
}

/** Renders the page of a password link. */
export function ResetPasswordScreen() {
  const t = useText()
  const token = useLinkToken()
  const [isPasswordSet, setIsPasswordSet] = useState(false)
  if (token === '') return <IncompleteLink />
  if (isPasswordSet) {
    return (
      <SignInLayout title={t('Password set')}>
        <Link to="/sign-in" className={buildButtonClass('primary')}>
          {t('Sign in')}
        </Link>
      </SignInLayout>
    )
  }
  return (
    <SignInLayout title={t('Choose a password')}>
      <ChoosePassword token={token} onSet={() => setIsPasswordSet(true)} />
    </SignInLayout>
  )
}
