import type { WeightedAgent } from '@parley/contract/number-agent'
import { clsx } from 'clsx'
import { Equal, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { NumberField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { AgentFields } from './agent-fields.tsx'
import { type AgentChoice, MAX_INBOUND_AGENTS } from './number-draft.ts'
import {
  addTypedIndex,
  addWeight,
  calculateSum,
  isValidDistribution,
  removeWeight,
  setWeight,
  slideWeight,
  splitEvenly,
  toPercent,
} from './weights.ts'

export interface InboundPanelProps {
  readonly agents: readonly WeightedAgent[]
  readonly onChange: (agents: WeightedAgent[]) => void
  readonly disabled: boolean
}

/** Renders the agents that answer inbound calls, with their weights. */
export function InboundPanel({ agents, onChange, disabled }: InboundPanelProps) {
  const t = useText()
  const weightActions = useWeightActions(agents, onChange)
  return (
    <Panel
      title={t('Inbound calls')}
      description={t('Agents share inbound calls by weight, for example for an A/B test.')}
    >
      {agents.length === 0 && <p className="text-muted">{t('No agents assigned. The default agent answers.')}</p>}
      {agents.length > 0 && (
        <ul className="flex flex-col gap-4">
          {agents.map((agent, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an agent can appear twice with different versions.
            <li key={index} className="border-t border-line pt-4 first:border-t-0 first:pt-0">
              <InboundRow
                agent={agent}
                index={index}
                count={agents.length}
                disabled={disabled}
                onSelect={(choice) =>
                  onChange(agents.map((item, i) => (i === index ? { ...choice, weight: item.weight } : item)))
                }
                onSlide={(weight) => weightActions.slideWeight(index, weight)}
                onType={(weight) => weightActions.typeWeight(index, weight)}
                onRemove={() => weightActions.remove(index)}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        {!disabled && (
          <div className="flex flex-wrap gap-2">
            <Button icon={Plus} disabled={agents.length >= MAX_INBOUND_AGENTS} onClick={weightActions.add}>
              {t('Add agent')}
            </Button>
            {agents.length > 1 && (
              <Button icon={Equal} onClick={weightActions.distributeEvenly}>
                {t('Distribute evenly')}
              </Button>
            )}
          </div>
        )}
        {agents.length > 0 && <WeightTotal weights={agents.map(({ weight }) => weight)} />}
      </div>
    </Panel>
  )
}

function useWeightActions(agents: readonly WeightedAgent[], onChange: InboundPanelProps['onChange']) {
  // Typed weights stay fixed while the user types other weights.
  const [typedIndexes, setTypedIndexes] = useState<readonly number[]>([])
  const weights = agents.map(({ weight }) => weight)

  function applyWeights(
    newWeights: readonly number[],
    newAgents = agents,
    newTypedIndexes: readonly number[] = [],
  ): void {
    setTypedIndexes(newTypedIndexes)
    onChange(newAgents.map((agent, index) => ({ ...agent, weight: newWeights[index] ?? agent.weight })))
  }

  return {
    add: () => applyWeights(addWeight(weights), [...agents, { agent_id: '', agent_version: null, weight: 0 }]),
    remove: (index: number) =>
      applyWeights(
        removeWeight(weights, index),
        agents.filter((_agent, i) => i !== index),
      ),
    slideWeight: (index: number, weight: number) => applyWeights(slideWeight(weights, index, weight)),
    typeWeight(index: number, weight: number): void {
      const fixedIndexes = addTypedIndex(typedIndexes, index, agents.length)
      applyWeights(setWeight(weights, { index, weight }, fixedIndexes), agents, fixedIndexes)
    },
    distributeEvenly: () => applyWeights(splitEvenly(agents.length)),
  }
}

function WeightTotal({ weights }: { readonly weights: readonly number[] }) {
  const t = useText()
  const format = useFormatter()
  const isValid = isValidDistribution(weights)
  const total = isValid ? 100 : toPercent(calculateSum(weights))
  return (
    <p
      role={isValid ? undefined : 'alert'}
      className={clsx(
        'ms-auto rounded px-2 py-1 font-medium tabular-nums',
        isValid ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad',
      )}
    >
      {isValid
        ? t('Total: {total}%', { total: format.number(total, 2) })
        : t('Total: {total}%. It must be 100%.', { total: format.number(total, 2) })}
    </p>
  )
}

interface InboundRowProps {
  readonly agent: WeightedAgent
  readonly index: number
  readonly count: number
  readonly disabled: boolean
  readonly onSelect: (choice: AgentChoice) => void
  readonly onSlide: (weight: number) => void
  readonly onType: (weight: number) => void
  readonly onRemove: () => void
}

function InboundRow({ agent, index, count, disabled, onSelect, onSlide, onType, onRemove }: InboundRowProps) {
  const t = useText()
  const percent = toPercent(agent.weight)
  const labelValues = { number: index + 1 }
  return (
    <div className="grid grid-cols-[1fr_auto] items-end gap-3 md:grid-cols-[minmax(10rem,2fr)_9rem_minmax(14rem,2fr)_auto]">
      <div className="col-span-2 grid grid-cols-[1fr_9rem] gap-3 max-sm:grid-cols-1">
        <AgentFields
          label={t('Agent {number}', labelValues)}
          name={`inboundAgents[${index}]`}
          value={agent}
          disabled={disabled}
          onChange={(choice) => choice && onSelect(choice)}
        />
      </div>
      <div className="flex min-w-0 items-end gap-3">
        <input
          type="range"
          aria-label={t('Weight {number} (slider)', labelValues)}
          className="h-9 min-w-0 flex-1 accent-brand-text"
          min={1}
          max={100}
          step={1}
          value={percent}
          disabled={disabled || count === 1}
          aria-valuetext={`${percent} %`}
          onChange={(event) => onSlide(event.target.valueAsNumber / 100)}
        />
        <NumberField
          className="w-28 shrink-0"
          label={t('Weight {number}', labelValues)}
          unit="%"
          minimum={0.01}
          maximum={100}
          step={1}
          value={percent}
          disabled={disabled}
          onChange={(newPercent) => {
            if (newPercent !== null && newPercent > 0) onType(newPercent / 100)
          }}
        />
      </div>
      {!disabled && <IconButton icon={Trash2} label={t('Remove agent {number}', labelValues)} onClick={onRemove} />}
    </div>
  )
}
