import type { WeightedAgent } from '@parley/contract/number-agent'
import { Trash2 } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { NumberField } from '../../components/fields.tsx'
import { useText } from '../../lib/language.ts'
import { AgentChoiceFields } from './agent-choice-fields.tsx'
import type { AgentChoice } from './number-draft.ts'
import { percentOf } from './weights.ts'

export interface InboundRowProps {
  readonly agent: WeightedAgent
  readonly index: number
  readonly count: number
  readonly disabled: boolean
  readonly onChoose: (choice: AgentChoice) => void
  /** The others move along. */
  readonly onSlide: (weight: number) => void
  readonly onType: (weight: number) => void
  readonly onRemove: () => void
}

/** One of the agents that share the calls, with its share by slider and by number. */
export function InboundRow({ agent, index, count, disabled, onChoose, onSlide, onType, onRemove }: InboundRowProps) {
  const t = useText()
  const percent = percentOf(agent.weight)
  const place = { number: index + 1 }
  return (
    <div className="grid grid-cols-[1fr_auto] items-end gap-3 md:grid-cols-[minmax(10rem,2fr)_9rem_minmax(14rem,2fr)_auto]">
      <div className="col-span-2 grid grid-cols-[1fr_9rem] gap-3 max-sm:grid-cols-1">
        <AgentChoiceFields
          label={t('Agent {number}', place)}
          name={`inboundAgents[${index}]`}
          value={agent}
          disabled={disabled}
          onChange={(choice) => choice && onChoose(choice)}
        />
      </div>
      <div className="flex min-w-0 items-end gap-3">
        <input
          type="range"
          aria-label={t('Share of agent {number}, slider', place)}
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
          label={t('Share of agent {number}', place)}
          unit="%"
          minimum={0.01}
          maximum={100}
          step={1}
          value={percent}
          disabled={disabled}
          onChange={(typed) => {
            if (typed !== null && typed > 0) onType(typed / 100)
          }}
        />
      </div>
      {!disabled && <IconButton icon={Trash2} label={t('Remove agent {number}', place)} onClick={onRemove} />}
    </div>
  )
}
