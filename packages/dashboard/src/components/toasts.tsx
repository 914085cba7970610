import { Toaster, toast } from 'sonner'
import { useText } from '../lib/language.ts'
import { useStore } from '../lib/store.ts'
import { themeStore } from '../lib/theme.ts'

/** Short messages at the edge of the window, read aloud. */
export function Toasts() {
  const t = useText()
  return (
    <Toaster
      theme={useStore(themeStore)}
      position="bottom-right"
      containerAriaLabel={t('Messages')}
      toastOptions={{
        classNames: { toast: '!border-line !bg-panel !text-ink', description: '!text-muted' },
      }}
    />
  )
}

/** Tells that something was done. */
export const tell = (text: string): void => void toast.success(text)

/** Tells that something went wrong, where no other place can. */
export const complain = (text: string): void => void toast.error(text)

/** Tells what was done and what about it may not work as expected. */
export function tellWithWarnings(text: string, warnings: readonly string[]): void {
  if (warnings.length === 0) tell(text)
  else toast.warning(text, { description: warnings.join(' '), duration: 12_000 })
}
