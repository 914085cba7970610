import type { WeightedAgent } from '@parley/contract/number-agent'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'
import { percentOf } from './weights.ts'

/** Agents told in a word or two more than are seen at once. */
const MOST_SHOWN = 3

/** Agents of a number by their names, with the share of the calls that each gets. */
export function AgentShares({
  agents,
  showsWeights,
}: {
  readonly agents: readonly WeightedAgent[]
  readonly showsWeights: boolean
}) {
  const t = useText()
  const formats = useFormats()
  const { nameOf } = useChoices('agents')
  if (agents.length === 0) return <span className="text-muted">–</span>
  return (
    <span className="flex min-w-0 flex-col">
      {agents.slice(0, MOST_SHOWN).map(({ agent_id: id, agent_version: version, weight }) => (
        <span key={`${id} ${version}`} className="flex min-w-0 gap-2">
          <span className="min-w-0 truncate" dir="auto" title={nameOf(id)}>
            {nameOf(id)}
          </span>
          {version !== null && <span className="shrink-0 text-muted">{t('version {version}', { version })}</span>}
          {showsWeights && (
            <span className="shrink-0 text-muted tabular-nums">{`${formats.number(percentOf(weight), 2)} %`}</span>
          )}
        </span>
      ))}
      {agents.length > MOST_SHOWN && (
        <span className="text-muted">
          {t('{count, plural, one {and # more} other {and # more}}', { count: agents.length - MOST_SHOWN })}
        </span>
      )}
    </span>
  )
}
