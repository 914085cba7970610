import { useSyncExternalStore } from 'react'
import { Toaster, toast } from 'sonner'
import { useText } from '../lib/language.ts'
import { themeStore } from '../lib/settings.ts'
import { useStore } from '../lib/store.ts'

const WIDE_WINDOW = '(min-width: 64rem)'

function useIsWideWindow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(WIDE_WINDOW)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => matchMedia(WIDE_WINDOW).matches,
  )
}

/** Displays notifications and announces them to screen readers. They never cover an input or the Save button. */
export function Toasts() {
  const t = useText()
  const isWide = useIsWideWindow()
  return (
    <Toaster
      theme={useStore(themeStore)}
      position={isWide ? 'bottom-left' : 'top-center'}
      offset={isWide ? { bottom: 16, left: 272 } : 4}
      mobileOffset={4}
      style={{ fontFamily: 'inherit' }}
      containerAriaLabel={t('Notifications')}
      toastOptions={{
        classNames: { toast: '!border-line !bg-panel !text-sm !text-ink', description: '!text-muted' },
      }}
    />
  )
}

export const notify = (text: string): void => void toast.success(text)

/** Reports an error that cannot be displayed at a field or in a panel. */
export const notifyError = (text: string): void => void toast.error(text)

export function notifyWithWarnings(text: string, warnings: readonly string[]): void {
  if (warnings.length === 0) notify(text)
  else toast.warning(text, { description: warnings.join(' '), duration: 12_000 })
}
