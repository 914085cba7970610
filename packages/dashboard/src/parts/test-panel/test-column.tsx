import { MessageCircle } from 'lucide-react'
import { type ReactNode, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'

const CONTROL_SELECTOR = 'button:not(:disabled), textarea:not(:disabled), input:not(:disabled), select:not(:disabled)'

/** Renders settings next to the test panel, or the panel in a dialog on narrow screens. Press `t` to open the panel. */
export function TestColumn({ panel, children }: { readonly panel: ReactNode; readonly children: ReactNode }) {
  const t = useText()
  const isWide = useIsWide()
  const [isOpen, setIsOpen] = useState(false)
  const column = useRef<HTMLElement>(null)
  useHotkeys({
    t: () => {
      if (isWide) column.current?.querySelector<HTMLElement>(CONTROL_SELECTOR)?.focus()
      else setIsOpen(true)
    },
  })
  if (isWide) {
    return (
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)_24rem] items-start gap-6">
        <div className="min-w-0">{children}</div>
        <aside
          ref={column}
          aria-label={t('Test')}
          className="sticky top-20 -mx-1 max-h-[calc(100dvh-6rem)] overflow-y-auto px-1"
        >
          {panel}
        </aside>
      </div>
    )
  }
  return (
    <>
      <Button icon={MessageCircle} className="w-full sm:w-fit" onClick={() => setIsOpen(true)}>
        {t('Test')}
      </Button>
      {children}
      <Dialog open={isOpen} onOpenChange={setIsOpen} title={t('Test')}>
        {panel}
      </Dialog>
    </>
  )
}

const WIDE_MEDIA_QUERY = '(min-width: 1280px)'

function subscribeToWidth(listener: () => void): () => void {
  const query = matchMedia(WIDE_MEDIA_QUERY)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

function useIsWide(): boolean {
  return useSyncExternalStore(subscribeToWidth, () => matchMedia(WIDE_MEDIA_QUERY).matches)
}
