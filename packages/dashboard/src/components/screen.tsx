import type { ComponentType } from 'react'
import type { OperationName } from '../lib/api/request.ts'
import { useText } from '../lib/language.ts'
import { useCan } from '../lib/session/rights.ts'
import { Page } from './page.tsx'
import { Forbidden } from './states.tsx'

/** Restricts a screen to users who can call an operation. `title` is a catalog message. */
export function guardScreen(requiredOperation: OperationName, title: string, Screen: ComponentType): ComponentType {
  return function GuardedScreen() {
    const t = useText()
    const can = useCan()
    if (can(requiredOperation)) return <Screen />
    return (
      <Page title={t(title)}>
        <Forbidden />
      </Page>
    )
  }
}
