import { CheckField, SelectField, TextField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { FilterBar } from '../../parts/transcript/filter-bar.tsx'
import { CALL_STATUSES, type CallFilter, isFiltered, readCallFilter } from './call-filter.ts'
import { STATUS_LOOKS } from './call-words.ts'

interface CallFiltersProps {
  readonly filter: CallFilter
  readonly onChange: (filter: CallFilter) => void
  readonly onClear: () => void
}

/** What the history is narrowed by. Every change goes to the first page. */
export function CallFilters({ filter, onChange, onClear }: CallFiltersProps) {
  const t = useText()
  const agents = useChoices('agents')
  const set = (changes: Record<string, unknown>): void =>
    onChange(readCallFilter({ ...filter, page: undefined, ...changes }))
  return (
    <FilterBar
      isFiltered={isFiltered(filter)}
      onClear={onClear}
      search={
        <SearchBox
          label={t('Number, name, agent or id')}
          value={filter.search ?? ''}
          onSearch={(search) => set({ search })}
        />
      }
    >
      <RecordField
        label={t('Agent')}
        choices={agents.choices}
        isLoading={agents.isLoading}
        value={filter.agent ?? null}
        noneLabel={t('All agents')}
        onChange={(agent) => set({ agent, ...(agent === null && { version: undefined }) })}
      />
      <TextField
        label={t('Agent version')}
        inputMode="numeric"
        placeholder={t('Any')}
        value={filter.version === undefined ? '' : String(filter.version)}
        onChange={(version) => set({ version })}
      />
      <SelectField
        label={t('Status')}
        value={filter.status ?? ''}
        choices={[
          { value: '', label: t('Any') },
          ...CALL_STATUSES.map((status) => ({ value: status, label: t(STATUS_LOOKS[status].label) })),
        ]}
        onChange={(status) => set({ status })}
      />
      <TextField label={t('From day')} type="date" value={filter.from ?? ''} onChange={(from) => set({ from })} />
      <TextField label={t('To day')} type="date" value={filter.to ?? ''} onChange={(to) => set({ to })} />
      <div className="col-span-2 flex flex-wrap gap-x-4 self-end md:col-span-1 xl:flex-col">
        <CheckField
          label={t('Archived too')}
          value={filter.archived === true}
          onChange={(archived) => set({ archived })}
        />
        <CheckField
          label={t('Transferred parts too')}
          value={filter.parts === true}
          onChange={(parts) => set({ parts })}
        />
      </div>
    </FilterBar>
  )
}
