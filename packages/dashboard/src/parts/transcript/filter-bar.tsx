import { ListFilter, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useText } from '../../lib/language.ts'

/** What a list is narrowed by: a search that is always there, and fields that a narrow screen shows when it is asked to. */
export function FilterBar({
  search,
  children,
  isFiltered,
  onClear,
}: {
  readonly search: ReactNode
  readonly children: ReactNode
  readonly isFiltered: boolean
  readonly onClear: () => void
}) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <search aria-label={t('Filters')} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 basis-48 sm:max-w-sm">{search}</div>
        <Button
          icon={ListFilter}
          aria-expanded={isOpen}
          className="md:hidden"
          onClick={() => setIsOpen((current) => !current)}
        >
          {t('Filters')}
        </Button>
        {isFiltered && (
          <Button kind="quiet" icon={X} onClick={onClear}>
            {t('Clear filters')}
          </Button>
        )}
      </div>
      <div className={isOpen ? 'grid grid-cols-2 gap-3' : 'hidden gap-3 md:grid md:grid-cols-3 xl:grid-cols-6'}>
        {children}
      </div>
    </search>
  )
}
