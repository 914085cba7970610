import type { Llm } from '@parley/contract/llm'
import type { Usage } from '@parley/contract/usage'
import { useFormatter } from '../../lib/format.ts'
import { type Translate, useText } from '../../lib/language.ts'
import { CHARACTERS_PER_TOKEN } from '../llm/prompt-settings.tsx'
import type { AgentKind } from './agent-api.ts'
import { useMonthlyAgentUsage } from './agent-usage.ts'

/** Displays an agent's prompt length, measured cost, and response time. */
export function EstimatePanel({
  agentId,
  kind,
  llm,
}: {
  readonly agentId: string
  readonly kind: AgentKind
  /** Includes unsaved edits. Null if the agent has no LLM configuration. */
  readonly llm: Llm | null
}) {
  const t = useText()
  const format = useFormatter()
  const { usageByAgent, problem } = useMonthlyAgentUsage()
  const usage = usageByAgent?.get(agentId)
  const rate = usage === undefined ? null : calculateCostRate(usage)
  const promptLength = llm && estimatePromptLength(llm)
  // Returns an empty string while loading, and a dash if there is no value.
  const formatOrDash = (value: number | null | undefined, formatValue: (value: number) => string): string =>
    usageByAgent === null ? '' : value === null || value === undefined ? '–' : formatValue(value)
  const stats = [
    ...(promptLength === null
      ? []
      : [
          [
            promptLength.hasStates ? t('Prompt with longest state') : t('Prompt length'),
            t('About {tokens} tokens', { tokens: format.number(promptLength.tokens) }),
          ] as const,
        ]),
    [isPerMinute(rate, kind) ? t('Cost per minute') : t('Cost per chat'), formatOrDash(rate?.dollars, format.dollars)],
    [t('Median response'), formatOrDash(usage?.latencyP50Ms, format.duration)],
    [t('p95 response'), formatOrDash(usage?.latencyP95Ms, format.duration)],
  ] as const
  return (
    <section aria-label={t('Estimate')} className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-4">
      <dl className="grid grid-cols-2 gap-x-5 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-8">
        {stats.map(([label, value]) => (
          <div key={label} className="flex min-w-0 flex-col justify-between">
            <dt className="text-xs text-muted">{label}</dt>
            <dd className="min-h-5 font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="min-h-12 text-xs text-muted sm:min-h-4">
        {problem ? t('Usage could not be loaded.') : usageByAgent && describeDataSource({ usage, rate, kind }, t)}
      </p>
    </section>
  )
}

function isPerMinute(rate: CostRate | null, kind: AgentKind): boolean {
  return rate === null ? kind === 'agent' : rate.unit === 'minute'
}

function describeDataSource(
  {
    usage,
    rate,
    kind,
  }: { readonly usage: Usage | undefined; readonly rate: CostRate | null; readonly kind: AgentKind },
  t: Translate,
): string {
  if (usage === undefined) return t('Cost and response time appear after the first conversations.')
  const { calls, chats } = usage
  const source =
    kind === 'agent'
      ? t(
          'Based on {calls, plural, one {# call} other {# calls}} and {chats, plural, one {# chat} other {# chats}} from the last 30 days. Unpriced items are excluded.',
          { calls, chats },
        )
      : t(
          'Based on {chats, plural, one {# chat} other {# chats}} from the last 30 days. Unpriced items are excluded.',
          {
            chats,
          },
        )
  return rate?.unit === 'minute' && rate.hasChats ? `${source} ${t('Includes chat costs.')}` : source
}

interface PromptLength {
  readonly tokens: number
  readonly hasStates: boolean
}

/** Estimates the tokens of the general prompt plus the longest state. */
export function estimatePromptLength({
  general_prompt: generalPrompt,
  states,
}: Pick<Llm, 'general_prompt'> & {
  readonly states: readonly Pick<Llm['states'][number], 'state_prompt'>[]
}): PromptLength {
  const longestStateLength = Math.max(0, ...states.map(({ state_prompt: prompt = '' }) => prompt.length))
  return {
    tokens: Math.ceil((generalPrompt.length + longestStateLength) / CHARACTERS_PER_TOKEN),
    hasStates: longestStateLength > 0,
  }
}

interface CostRate {
  readonly unit: 'minute' | 'chat'
  readonly dollars: number
  /** Whether the cost includes chats; usage has only one total per agent. */
  readonly hasChats: boolean
}

/** Returns the cost per call minute, the cost per chat if there are no calls, or null if there are neither. */
export function calculateCostRate({
  cost,
  minutes,
  chats,
}: Pick<Usage, 'cost' | 'minutes' | 'chats'>): CostRate | null {
  if (minutes > 0) return { unit: 'minute', dollars: cost / minutes, hasChats: chats > 0 }
  return chats > 0 ? { unit: 'chat', dollars: cost / chats, hasChats: true } : null
}
