import type { WeightedAgent } from '@parley/contract/number-agent'
import { clsx } from 'clsx'
import { Equal, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { InboundRow } from './inbound-row.tsx'
import { MOST_INBOUND_AGENTS } from './number-draft.ts'
import {
  addWeight,
  changeWeight,
  holdTyped,
  isWhole,
  percentOf,
  removeWeight,
  shareEqually,
  slideWeight,
  sumOf,
} from './weights.ts'

export interface InboundPanelProps {
  readonly agents: readonly WeightedAgent[]
  readonly onChange: (agents: WeightedAgent[]) => void
  readonly disabled: boolean
}

/** Who answers the number, and how often. */
export function InboundPanel({ agents, onChange, disabled }: InboundPanelProps) {
  const t = useText()
  const shares = useShares(agents, onChange)
  return (
    <Panel
      title={t('Inbound: who answers')}
      description={t('Several agents share the calls to the number by weight, for example to compare two of them.')}
    >
      {agents.length === 0 && (
        <p className="text-muted">{t('No agent is bound: the default agent answers, if there is one.')}</p>
      )}
      {agents.length > 0 && (
        <ul className="flex flex-col gap-4">
          {agents.map((agent, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an agent may stand here twice, with two versions.
            <li key={index} className="border-t border-line pt-4 first:border-t-0 first:pt-0">
              <InboundRow
                agent={agent}
                index={index}
                count={agents.length}
                disabled={disabled}
                onChoose={(choice) =>
                  onChange(agents.map((each, at) => (at === index ? { ...choice, weight: each.weight } : each)))
                }
                onSlide={(weight) => shares.slide(index, weight)}
                onType={(weight) => shares.type(index, weight)}
                onRemove={() => shares.remove(index)}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        {!disabled && (
          <div className="flex flex-wrap gap-2">
            <Button icon={Plus} disabled={agents.length >= MOST_INBOUND_AGENTS} onClick={shares.add}>
              {t('Add an agent')}
            </Button>
            {agents.length > 1 && (
              <Button icon={Equal} onClick={shares.makeEqual}>
                {t('Share equally')}
              </Button>
            )}
          </div>
        )}
        {agents.length > 0 && <Total weights={agents.map(({ weight }) => weight)} />}
      </div>
    </Panel>
  )
}

/** Changes of the agents and of how they share the calls. */
function useShares(agents: readonly WeightedAgent[], onChange: InboundPanelProps['onChange']) {
  // Shares that were typed stay while others are typed.
  const [held, setHeld] = useState<readonly number[]>([])
  const weights = agents.map(({ weight }) => weight)

  function share(shares: readonly number[], { among = agents, hold = [] }: Sharing = {}): void {
    setHeld(hold)
    onChange(among.map((agent, at) => ({ ...agent, weight: shares[at] ?? agent.weight })))
  }

  return {
    add: () => share(addWeight(weights), { among: [...agents, { agent_id: '', agent_version: null, weight: 0 }] }),
    remove: (index: number) =>
      share(removeWeight(weights, index), { among: agents.filter((_agent, at) => at !== index) }),
    slide: (index: number, weight: number) => share(slideWeight(weights, index, weight)),
    type(index: number, weight: number): void {
      const others = holdTyped(held, index, agents.length)
      share(changeWeight(weights, { index, weight }, others), { hold: others })
    },
    makeEqual: () => share(shareEqually(agents.length)),
  }
}

interface Sharing {
  readonly among?: readonly WeightedAgent[]
  /** Indexes of those whose shares were typed. */
  readonly hold?: readonly number[]
}

function Total({ weights }: { readonly weights: readonly number[] }) {
  const t = useText()
  const formats = useFormats()
  const whole = isWhole(weights)
  // A third of 100 three times is all of it.
  const total = whole ? 100 : percentOf(sumOf(weights))
  return (
    <p
      role={whole ? undefined : 'alert'}
      className={clsx(
        'ms-auto rounded px-2 py-1 font-medium tabular-nums',
        whole ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad',
      )}
    >
      {whole
        ? t('Total {total} %', { total: formats.number(total, 2) })
        : t('Total {total} %: it must be 100 % before it can be saved.', { total: formats.number(total, 2) })}
    </p>
  )
}
