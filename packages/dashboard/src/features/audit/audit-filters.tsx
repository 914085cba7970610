import { SelectField, TextField } from '../../components/fields.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { useText } from '../../lib/language.ts'
import type { AuditSearch } from './audit-search.ts'
import { OPERATION_WORDS } from './operation-words.ts'
import type { People } from './people.ts'

/** On phones; the two days stand beside each other. */
const WHOLE_ROW = 'col-span-2 sm:col-span-1'

/** Narrows the log; the address keeps the choice. */
export function AuditFilters({
  search,
  people,
  onChange,
}: {
  readonly search: AuditSearch
  readonly people: People
  readonly onChange: (search: AuditSearch) => void
}) {
  const t = useText()
  const put = (name: keyof AuditSearch, value: string | null): void => {
    const { [name]: _before, ...others } = search
    onChange(value === null || value === '' ? others : ({ ...others, [name]: value } as AuditSearch))
  }
  const operations = Object.entries(OPERATION_WORDS).map(([id, words]) => ({ id, label: t(words), hint: id }))
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-[1.2fr_1.5fr_1fr_1fr_1fr]">
      <RecordField
        className={WHOLE_ROW}
        label={t('Who')}
        noneLabel={t('Everybody')}
        value={search.userId ?? null}
        choices={people.choices}
        isLoading={people.isLoading}
        onChange={(userId) => put('userId', userId)}
      />
      <RecordField
        className={WHOLE_ROW}
        label={t('What')}
        noneLabel={t('Everything')}
        value={search.operation ?? null}
        choices={operations}
        onChange={(operation) => put('operation', operation)}
      />
      <TextField label={t('From')} type="date" value={search.from ?? ''} onChange={(day) => put('from', day)} />
      <TextField label={t('To')} type="date" value={search.to ?? ''} onChange={(day) => put('to', day)} />
      <SelectField
        className={WHOLE_ROW}
        label={t('Where')}
        value={search.of ?? 'workspace'}
        choices={[
          { value: 'workspace', label: t('This workspace') },
          { value: 'all', label: t('All that you administer') },
        ]}
        onChange={(of) => put('of', of === 'all' ? 'all' : null)}
      />
    </div>
  )
}
