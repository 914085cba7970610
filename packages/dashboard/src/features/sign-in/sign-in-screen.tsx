import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useText } from '../../lib/language.ts'
import { Credentials } from './credentials.tsx'
import { FrontPage } from './front-page.tsx'

export function SignInScreen() {
  const t = useText()
  const client = useQueryClient()
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })

  async function openNext(): Promise<void> {
    client.clear()
    await router.invalidate()
    router.history.replace(next ?? '/')
  }

  return (
    <FrontPage title={t('Sign in')}>
      <Credentials onSignedIn={openNext} />
      <p className="text-muted">{t('Forgot your password? Ask a workspace administrator for a reset link.')}</p>
    </FrontPage>
  )
}
