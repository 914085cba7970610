import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { notifyError } from '../components/toasts.tsx'
import { useText } from '../lib/language.ts'
import { signOut } from '../lib/session/session.ts'

/** Returns a function that ends the session and opens the sign-in page. */
export function useSignOut(): () => void {
  const t = useText()
  const client = useQueryClient()
  const navigate = useNavigate()
  async function endSession(): Promise<void> {
    try {
      await signOut(client)
      await navigate({ to: '/sign-in' })
    } catch {
      notifyError(t('Sign-out failed because the server is unreachable. Try again.'))
    }
  }
  return () => void endSession()
}
