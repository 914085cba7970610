import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useText } from '../../lib/language.ts'
import { Credentials } from './credentials.tsx'
import { FrontPage } from './front-page.tsx'

/** Signs in with e-mail address and password, and goes on to where the person wanted to be. */
export function SignInScreen() {
  const t = useText()
  const client = useQueryClient()
  const router = useRouter()
  const { next } = useSearch({ from: '/sign-in' })

  async function goOn(): Promise<void> {
    client.clear()
    await router.invalidate()
    router.history.replace(next ?? '/')
  }

  return (
    <FrontPage title={t('Sign in')}>
      <Credentials onSignedIn={goOn} />
      <p className="text-muted">
        {t('Password forgotten? An administrator of your workspace makes a link for a new one.')}
      </p>
    </FrontPage>
  )
}
