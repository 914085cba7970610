import { ListFilter, SearchX, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type Choice, SelectField, TextField } from '../../components/fields.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'

export interface FilterBarProps {
  readonly search: ReactNode
  readonly children: ReactNode
  readonly isFiltered: boolean
  readonly onClear: () => void
}

/** Renders the search and filters of a list. Narrow screens collapse the filters. */
export function FilterBar({ search, children, isFiltered, onClear }: FilterBarProps) {
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

interface StatusAndDaysProps {
  readonly filter: { readonly status?: string; readonly from?: string; readonly to?: string }
  readonly statuses: readonly Choice[]
  readonly onChange: (changes: { status?: string; from?: string; to?: string }) => void
}

/** Renders the filters that all conversation lists share. */
export function StatusAndDays({ filter, statuses, onChange }: StatusAndDaysProps) {
  const t = useText()
  return (
    <>
      <SelectField
        label={t('Status')}
        value={filter.status ?? ''}
        choices={[{ value: '', label: t('Any') }, ...statuses]}
        onChange={(status) => onChange({ status })}
      />
      <TextField label={t('From')} type="date" value={filter.from ?? ''} onChange={(from) => onChange({ from })} />
      <TextField label={t('To')} type="date" value={filter.to ?? ''} onChange={(to) => onChange({ to })} />
    </>
  )
}

/** Displayed instead of a list without matches. */
export function NoMatches({ onClear }: Pick<FilterBarProps, 'onClear'>) {
  const t = useText()
  return (
    <EmptyState icon={SearchX} title={t('No matches')} action={<Button onClick={onClear}>{t('Clear filters')}</Button>}>
      {t('Change or clear the filters.')}
    </EmptyState>
  )
}
