import { MessageCircle } from 'lucide-react'
import { type ReactNode, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { TestPanel, type TestPanelProps } from '../test-panel/test-panel.tsx'

const CONTROLS = 'button:not(:disabled), textarea:not(:disabled), input:not(:disabled), select:not(:disabled)'

/** The settings, and beside them where there is room, otherwise in a window, the panel to try the agent. `t` goes there. */
export function TestColumn({ children, ...panel }: TestPanelProps & { readonly children: ReactNode }) {
  const t = useText()
  const isWide = useIsWide()
  const [isOpen, setIsOpen] = useState(false)
  const column = useRef<HTMLElement>(null)
  useHotkeys({
    t: () => {
      if (isWide) column.current?.querySelector<HTMLElement>(CONTROLS)?.focus()
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
          <TestPanel {...panel} />
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
        <TestPanel {...panel} />
      </Dialog>
    </>
  )
}

/** From this width on the test panel stands beside the settings. */
const WIDE = '(min-width: 1280px)'

function onChange(listener: () => void): () => void {
  const query = matchMedia(WIDE)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether there is room for a second column. */
function useIsWide(): boolean {
  return useSyncExternalStore(onChange, () => matchMedia(WIDE).matches)
}
