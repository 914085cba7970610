import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import { ChoosePassword } from './credentials.tsx'
import { FrontPage, IncompleteLink, useLinkToken } from './front-page.tsx'

/** The page behind a password link. */
export function ResetPasswordScreen() {
  const t = useText()
  const token = useLinkToken()
  const [isSet, setIsSet] = useState(false)
  if (token === '') return <IncompleteLink />
  if (isSet) {
    return (
      <FrontPage title={t('Password set')}>
        <Link to="/sign-in" className={buttonClass('primary')}>
          {t('Sign in')}
        </Link>
      </FrontPage>
    )
  }
  return (
    <FrontPage title={t('Choose a password')}>
      <ChoosePassword token={token} onSet={() => setIsSet(true)} />
    </FrontPage>
  )
}
