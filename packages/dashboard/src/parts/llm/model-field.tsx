import { Command } from 'cmdk'
import { Check } from 'lucide-react'
import { useState } from 'react'
import type { FieldProps } from '../../components/field.tsx'
import { PopoverField } from '../../components/popover-field.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import type { ValueOf } from '../../lib/api/request.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { getVendorName } from '../../lib/vendor-names.ts'

type Model = ValueOf<'listModels'>[number]

const OFFLINE_PROVIDER = 'offline'

interface ModelFieldProps extends Omit<FieldProps, 'children'> {
  /** Empty for the server's default model. */
  readonly value: string
  readonly onChange: (model: string) => void
  readonly disabled?: boolean
}

/** Renders a searchable model select, grouped by vendor, with prices and measured latencies. */
export function ModelField({ value, onChange, disabled, ...field }: ModelFieldProps) {
  const t = useText()
  return (
    <PopoverField
      {...field}
      displayedValue={value === '' ? t('Server default') : value}
      choicesLabel={t('Choose a model')}
      disabled={disabled}
    >
      {(close) => (
        <ModelList
          value={value}
          onSelect={(model) => {
            onChange(model)
            close()
          }}
        />
      )}
    </PopoverField>
  )
}

interface ModelListProps {
  readonly value: string
  readonly onSelect: (model: string) => void
}

function ModelList({ value, onSelect }: ModelListProps) {
  const t = useText()
  const { data: models = [], isPending, error } = useRead('listModels', {})
  const [query, setQuery] = useState('')
  const trimmedQuery = query.trim()
  const terms = trimmedQuery.toLowerCase().split(/\s+/)
  const matchesQuery = (text: string): boolean => terms.every((term) => text.toLowerCase().includes(term))
  const isKnown = (name: string): boolean => models.some(({ model }) => model === name)
  const enteredModel = trimmedQuery !== '' && !isKnown(trimmedQuery) ? trimmedQuery : null
  const isCustomModel = !isPending && value !== '' && !isKnown(value)
  const defaultModel = models.find((model) => model.default)
  const row = { selected: value, onSelect }
  return (
    <Command shouldFilter={false} label={t('Choose a model')}>
      <Command.Input
        value={query}
        onValueChange={setQuery}
        placeholder={t('Search or enter vendor/model')}
        className="w-full rounded-t-lg border-b border-line bg-panel px-3 py-2.5"
      />
      <Command.List className="max-h-80 overflow-y-auto p-1 **:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-muted">
        {trimmedQuery === '' && (
          <ModelRow {...row} model="" label={t('Server default')} detail={defaultModel?.model ?? ''} />
        )}
        {isPending && error === null && <Command.Loading className="p-2 text-muted">{t('Loading…')}</Command.Loading>}
        {error !== null && <ProblemNote problem={error} />}
        {[...Map.groupBy(models, ({ provider }) => provider)].map(([provider, providerModels]) => (
          <ModelGroup
            key={provider}
            provider={provider}
            models={providerModels.filter(({ model }) => matchesQuery(`${getVendorName(provider)} ${model}`))}
            row={row}
          />
        ))}
        {(enteredModel !== null || isCustomModel) && (
          <Command.Group heading={t('Other model')}>
            {isCustomModel && value !== enteredModel && matchesQuery(value) && <ModelRow {...row} model={value} />}
            {enteredModel !== null && (
              <ModelRow {...row} model={enteredModel} label={t('Use “{model}”', { model: enteredModel })} />
            )}
          </Command.Group>
        )}
      </Command.List>
      <p className="border-t border-line px-3 py-2 text-xs text-muted">
        {t('Prices per million tokens. Latency is the median time to the first word in your recent chats.')}
      </p>
    </Command>
  )
}

interface SharedRowProps {
  readonly selected: string
  readonly onSelect: (model: string) => void
}

interface ModelGroupProps {
  readonly provider: string
  readonly models: readonly Model[]
  readonly row: SharedRowProps
}

function ModelGroup({ provider, models, row }: ModelGroupProps) {
  const t = useText()
  const format = useFormatter()
  const [firstModel] = models
  if (firstModel === undefined) return null
  const name = provider === OFFLINE_PROVIDER ? t('Built in') : getVendorName(provider)
  return (
    <Command.Group heading={firstModel.available ? name : t('{provider} (no API key)', { provider: name })}>
      {models.map(({ model, pricing, latencyP50Ms }) => {
        const details = [
          pricing === null ? '' : describePrice(pricing),
          latencyP50Ms === null ? '' : format.duration(latencyP50Ms),
        ]
        return (
          <ModelRow key={model} {...row} model={model} detail={details.filter((detail) => detail !== '').join(' · ')} />
        )
      })}
    </Command.Group>
  )

  function describePrice({ input, output }: NonNullable<Model['pricing']>): string {
    if (input === 0 && output === 0) return t('Free')
    return t('{input} in, {output} out', { input: format.price(input), output: format.price(output) })
  }
}

interface ModelRowProps extends SharedRowProps {
  readonly model: string
  readonly label?: string
  readonly detail?: string
}

function ModelRow({ model, label = model, detail = '', selected, onSelect }: ModelRowProps) {
  return (
    <Command.Item
      value={model === '' ? ' default' : model}
      onSelect={() => onSelect(model)}
      className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 py-1 data-[selected=true]:bg-sunken"
    >
      <Check aria-hidden="true" className={`size-4 shrink-0 ${model === selected ? '' : 'invisible'}`} />
      <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-3">
        <span className="min-w-0 truncate" dir="auto">
          {label}
        </span>
        <span className="text-xs leading-5 text-muted tabular-nums">{detail}</span>
      </span>
    </Command.Item>
  )
}
