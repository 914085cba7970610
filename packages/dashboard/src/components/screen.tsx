import { type LucideIcon, Plus } from 'lucide-react'
import { type ComponentType, type ReactNode, useState } from 'react'
import type { OperationName } from '../lib/api/request.ts'
import { useHotkeys } from '../lib/keys/hotkeys.ts'
import { useText } from '../lib/language.ts'
import { useCan } from '../lib/session/rights.ts'
import { Button } from './button.tsx'
import { Page } from './page.tsx'
import { Forbidden } from './states.tsx'

/** A screen that only people who may call an operation see. `title` is a message of the catalogue. */
export function guardScreen(needs: OperationName, title: string, Screen: ComponentType): ComponentType {
  return function GuardedScreen() {
    const t = useText()
    const can = useCan()
    if (can(needs)) return <Screen />
    return (
      <Page title={t(title)}>
        <Forbidden />
      </Page>
    )
  }
}

interface NewButton {
  /** False for those who may not create a record. */
  readonly button: ReactNode
  readonly isOpen: boolean
  readonly close: () => void
}

/** The button and the hotkey `n` that open the dialog for a new record. */
export function useNewButton(label: string, isAllowed: boolean, icon: LucideIcon = Plus): NewButton {
  const [isOpen, setIsOpen] = useState(false)
  const open = (): void => setIsOpen(true)
  useHotkeys(isAllowed ? { n: open } : {})
  const button = isAllowed && (
    <Button kind="primary" icon={icon} onClick={open}>
      {label}
    </Button>
  )
  return { button, isOpen, close: () => setIsOpen(false) }
}
