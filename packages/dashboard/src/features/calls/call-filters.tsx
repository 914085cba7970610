import { CheckField, TextField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { FilterBar, StatusAndDays } from '../../parts/transcript/filter-bar.tsx'
import { CALL_STATUSES, type CallFilter, isFiltered, readCallFilter } from './call-filter.ts'
import { STATUS_VARIANTS } from './call-labels.tsx'

interface CallFiltersProps {
  readonly filter: CallFilter
  readonly onChange: (filter: CallFilter) => void
  readonly onClear: () => void
}

/** Renders the call filters. Every change returns to the first page. */
export function CallFilters({ filter, onChange, onClear }: CallFiltersProps) {
  const t = useText()
  const agents = useChoices('agents')
  const updateFilter = (changes: Record<string, unknown>): void =>
    onChange(readCallFilter({ ...filter, page: undefined, ...changes }))
  return (
    <FilterBar
      isFiltered={isFiltered(filter)}
      onClear={onClear}
      search={
        <SearchBox
          label={t('Search by number, name, agent or ID')}
          value={filter.search ?? ''}
          onSearch={(search) => updateFilter({ search })}
        />
      }
    >
      <RecordField
        label={t('Agent')}
        choices={agents.choices}
        isLoading={agents.isLoading}
        value={filter.agent ?? null}
        emptyLabel={t('All agents')}
        onChange={(agent) => updateFilter({ agent, ...(agent === null && { version: undefined }) })}
      />
      <TextField
        label={t('Agent version')}
        inputMode="numeric"
        placeholder={t('Any')}
        value={filter.version === undefined ? '' : String(filter.version)}
        onChange={(version) => updateFilter({ version })}
      />
      <StatusAndDays
        filter={filter}
        statuses={CALL_STATUSES.map((status) => ({ value: status, label: t(STATUS_VARIANTS[status].label) }))}
        onChange={updateFilter}
      />
      <div className="col-span-2 flex flex-wrap gap-x-4 self-end md:col-span-1 xl:flex-col">
        <CheckField
          label={t('Include archived')}
          value={filter.archived === true}
          onChange={(archived) => updateFilter({ archived })}
        />
        <CheckField
          label={t('Include transfer legs')}
          value={filter.childCalls === true}
          onChange={(childCalls) => updateFilter({ childCalls })}
        />
      </div>
    </FilterBar>
  )
}
