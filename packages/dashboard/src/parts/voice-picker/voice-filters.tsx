import type { Voice } from '@parley/contract/voice'
import { useMemo } from 'react'
import { SelectField } from '../../components/fields.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { message, useText } from '../../lib/language.ts'
import { listPropertyValues, VOICE_PROPERTIES, type VoiceFilter, type VoiceProperty } from './voice-filter.ts'
import { useVoiceLabels } from './voice-labels.ts'

const PROPERTY_LABELS: Readonly<Record<VoiceProperty, string>> = {
  provider: message('Vendor'),
  gender: message('Gender'),
  language: message('Language'),
  accent: message('Accent'),
}

/** Renders the search and filters. A property with a single value has no filter. */
export function VoiceFilters({
  voices,
  filter,
  onFilterChange,
}: {
  readonly voices: readonly Voice[]
  readonly filter: VoiceFilter
  readonly onFilterChange: (changes: Partial<VoiceFilter>) => void
}) {
  const t = useText()
  const labels = useVoiceLabels()
  const visibleFilters = useMemo(
    () =>
      VOICE_PROPERTIES.map((property) => ({ property, values: listPropertyValues(voices, property) })).filter(
        ({ property, values }) => values.length > 1 || filter[property] !== '',
      ),
    [voices, filter],
  )
  return (
    <div className="flex flex-col gap-3">
      <SearchBox label={t('Search voices')} value={filter.search} onSearch={(search) => onFilterChange({ search })} />
      {visibleFilters.length > 0 && (
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {visibleFilters.map(({ property, values }) => (
            <SelectField
              key={property}
              label={t(PROPERTY_LABELS[property])}
              value={filter[property]}
              onChange={(value) => onFilterChange({ [property]: value })}
              choices={[
                { value: '', label: t('All') },
                ...values.map((value) => ({ value, label: labels.getValueLabel(property, value) })),
              ]}
            />
          ))}
        </div>
      )}
    </div>
  )
}
