import { SelectField, TextField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { FilterBar } from '../../parts/transcript/filter-bar.tsx'
import { CHAT_STATUSES, type ChatFilter, readChatFilter } from './chat-filter.ts'
import { STATUS_LOOKS } from './chat-words.ts'

/** What the list of chats is narrowed by. */
export function ChatFilters({
  filter,
  onChange,
  onClear,
}: {
  readonly filter: ChatFilter
  readonly onChange: (filter: ChatFilter) => void
  readonly onClear: () => void
}) {
  const t = useText()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  const set = (changes: Record<string, unknown>): void => onChange(readChatFilter({ ...filter, ...changes }))
  return (
    <FilterBar
      isFiltered={Object.keys(filter).length > 0}
      onClear={onClear}
      search={
        <SearchBox label={t('Search in messages')} value={filter.search ?? ''} onSearch={(search) => set({ search })} />
      }
    >
      <RecordField
        label={t('Agent')}
        choices={[...chatAgents.choices, ...agents.choices]}
        isLoading={agents.isLoading || chatAgents.isLoading}
        value={filter.agent ?? null}
        noneLabel={t('All agents')}
        onChange={(agent) => set({ agent })}
      />
      <SelectField
        label={t('Status')}
        value={filter.status ?? ''}
        choices={[
          { value: '', label: t('Any') },
          ...CHAT_STATUSES.map((status) => ({ value: status, label: t(STATUS_LOOKS[status].label) })),
        ]}
        onChange={(status) => set({ status })}
      />
      <TextField label={t('From day')} type="date" value={filter.from ?? ''} onChange={(from) => set({ from })} />
      <TextField label={t('To day')} type="date" value={filter.to ?? ''} onChange={(to) => set({ to })} />
    </FilterBar>
  )
}
