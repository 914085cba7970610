import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useText } from '../lib/language.ts'
import type { FieldProps } from './field.tsx'
import { PopoverField } from './popover-field.tsx'

export interface RecordChoice {
  readonly id: string
  readonly label: string
  readonly hint?: string
}

const MAX_RESULTS = 50

export interface RecordFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string | null
  readonly onChange: (id: string | null) => void
  readonly choices: readonly RecordChoice[]
  /** Label of the empty choice. If omitted, a record is required. */
  readonly emptyLabel?: string
  readonly disabled?: boolean
  readonly isLoading?: boolean
}

/** Renders a searchable select for a list of any length. */
export function RecordField({ value, onChange, choices, emptyLabel, disabled, isLoading, ...field }: RecordFieldProps) {
  const t = useText()
  const [query, setQuery] = useState('')
  const selectedChoice = choices.find(({ id }) => id === value)
  const isEmpty = value === null || value === ''
  // Displays the ID only if the name is unknown, not while it loads.
  const fallbackLabel = isEmpty ? (emptyLabel ?? t('Select…')) : isLoading === true ? t('Loading…') : value
  return (
    <PopoverField
      {...field}
      displayedValue={selectedChoice?.label ?? fallbackLabel}
      choicesLabel={t('Select')}
      disabled={disabled}
    >
      {(close) => {
        const selectRecord = (id: string | null): void => {
          onChange(id)
          close()
          setQuery('')
        }
        return (
          <Choices
            {...{
              choices,
              emptyLabel,
              isLoading,
              selectedChoice,
              query,
              onQueryChange: setQuery,
              onSelect: selectRecord,
            }}
          />
        )
      }}
    </PopoverField>
  )
}

interface ChoicesProps extends Pick<RecordFieldProps, 'choices'> {
  readonly emptyLabel: string | undefined
  readonly isLoading: boolean | undefined
  readonly selectedChoice: RecordChoice | undefined
  readonly query: string
  readonly onQueryChange: (query: string) => void
  readonly onSelect: (id: string | null) => void
}

function Choices({ choices, emptyLabel, isLoading, selectedChoice, query, onQueryChange, onSelect }: ChoicesProps) {
  const t = useText()
  const visibleChoices = useMemo(() => filterChoices(choices, query), [choices, query])
  return (
    <Command shouldFilter={false} label={t('Select')}>
      <Command.Input
        value={query}
        onValueChange={onQueryChange}
        placeholder={t('Search…')}
        className="w-full rounded-t-lg border-b border-line bg-panel px-3 py-2.5"
      />
      <Command.List className="max-h-72 overflow-y-auto p-1">
        <Command.Empty className="px-3 py-4 text-center text-muted">
          {isLoading === true ? t('Loading…') : t('No results')}
        </Command.Empty>
        {emptyLabel !== undefined && query === '' && (
          <Row label={emptyLabel} isSelected={selectedChoice === undefined} onSelect={() => onSelect(null)} />
        )}
        {visibleChoices.map(({ id, label, hint }) => (
          <Row
            key={id}
            id={id}
            label={label}
            hint={hint}
            isSelected={id === selectedChoice?.id}
            onSelect={() => onSelect(id)}
          />
        ))}
      </Command.List>
    </Command>
  )
}

function filterChoices(choices: readonly RecordChoice[], query: string): readonly RecordChoice[] {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = choices.filter(({ id, label, hint = '' }) => {
    const searchableText = `${label} ${hint} ${id}`.toLowerCase()
    return terms.every((term) => searchableText.includes(term))
  })
  return matches.slice(0, MAX_RESULTS)
}

function Row({
  id,
  label,
  hint,
  isSelected,
  onSelect,
}: {
  readonly id?: string
  readonly label: string
  readonly hint?: string | undefined
  readonly isSelected: boolean
  readonly onSelect: () => void
}) {
  return (
    <Command.Item
      value={id ?? ' none'}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 data-[selected=true]:bg-sunken"
    >
      <Check aria-hidden="true" className={`size-4 shrink-0 ${isSelected ? '' : 'invisible'}`} />
      <span className="min-w-0 flex-1 truncate" dir="auto">
        {label}
      </span>
      {hint && <span className="shrink-0 truncate text-xs text-muted">{hint}</span>}
    </Command.Item>
  )
}
