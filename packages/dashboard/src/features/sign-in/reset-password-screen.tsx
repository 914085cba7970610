import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'
import { ChoosePassword } from './choose-password.tsx'
import { FrontPage } from './front-page.tsx'
import { IncompleteLink, useLinkToken } from './link-token.tsx'

/** Sets a password with the link that an administrator has made for somebody who has forgotten it. */
export function ResetPasswordScreen() {
  const t = useText()
  const token = useLinkToken()
  const [isSet, setIsSet] = useState(false)
  if (token === '') return <IncompleteLink />
  if (isSet) {
    return (
      <FrontPage title={t('Your password is set')}>
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
