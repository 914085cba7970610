import { Dialog } from '../../components/dialog.tsx'
import { useText } from '../../lib/language.ts'
import { NAVIGATION } from './navigation.ts'

const entries = NAVIGATION.flatMap((group) => group.entries)

export function KeyboardShortcuts({
  open,
  onOpenChange,
}: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const t = useText()
  const rows: readonly (readonly [string, string])[] = [
    ['Ctrl/⌘ K', t('Search')],
    ['?', t('Show keyboard shortcuts')],
    ['/', t('Search the list')],
    ['j  k', t('Next or previous row')],
    ['Enter', t('Open row')],
    ['n', t('Create new')],
    ['d', t('Duplicate row')],
    ['Ctrl/⌘ S', t('Save')],
    ['Ctrl/⌘ Enter', t('Run')],
    ['Esc', t('Close')],
    ...entries.flatMap(({ key, label }) =>
      key === undefined ? [] : [[`g ${key}`, t('Go to {page}', { page: t(label) })] as const],
    ),
  ]
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('Keyboard shortcuts')}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
        {rows.map(([keys, description]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line-strong bg-sunken px-1.5 py-0.5 text-xs whitespace-pre">
                {keys}
              </kbd>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
