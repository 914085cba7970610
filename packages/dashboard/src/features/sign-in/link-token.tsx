import { useState } from 'react'
import { useText } from '../../lib/language.ts'
import { FrontPage } from './front-page.tsx'

/** The secret of a link is behind `#`, so that it is in no log; "" when there is none. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '')
  return token
}

/** Shown when a part of the link is missing. */
export function IncompleteLink() {
  const t = useText()
  return (
    <FrontPage title={t('The link is not complete')}>
      <p>{t('Copy the whole link, with everything behind the # sign, or ask for a new one.')}</p>
    </FrontPage>
  )
}
