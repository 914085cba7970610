import type { Llm } from '@parley/contract/llm'
import type { Usage } from '@parley/contract/usage'
import { useFormats } from '../../lib/format.ts'
import { type Text, useText } from '../../lib/language.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'
import { useAgentsOfMonth } from './agent-usage.ts'
import { type CostRate, costRate, measurePrompt } from './estimate.ts'

type AgentKind = AgentApi<AnyAgent>['kind']

/** How long the prompt is, and what the agent really cost and how fast it answered. */
export function EstimatePanel({
  agentId,
  kind,
  llm,
}: {
  readonly agentId: string
  readonly kind: AgentKind
  /** With its edits; null where the agent answers with something else. */
  readonly llm: Llm | null
}) {
  const t = useText()
  const { number, dollars, duration } = useFormats()
  const { byAgent, problem } = useAgentsOfMonth()
  const usage = byAgent?.get(agentId)
  const rate = usage === undefined ? null : costRate(usage)
  const length = llm && measurePrompt(llm)
  // Empty until it is known, a dash where there is none.
  const orNone = (value: number | null | undefined, print: (value: number) => string): string =>
    byAgent === null ? '' : value === null || value === undefined ? '–' : print(value)
  const figures = [
    ...(length === null
      ? []
      : [
          [
            length.hasStates ? t('Prompt with its longest state') : t('Length of the prompt'),
            t('about {tokens} tokens', { tokens: number(length.tokens) }),
          ] as const,
        ]),
    [isPerMinute(rate, kind) ? t('Cost a minute') : t('Cost a chat'), orNone(rate?.dollars, dollars)],
    [t('Answers after (median)'), orNone(usage?.latencyP50Ms, duration)],
    [t('95 of 100 within'), orNone(usage?.latencyP95Ms, duration)],
  ] as const
  return (
    <section aria-label={t('Estimate')} className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-4">
      <dl className="grid grid-cols-2 gap-x-5 gap-y-3 sm:flex sm:flex-wrap sm:gap-x-8">
        {figures.map(([label, value]) => (
          <div key={label} className="flex min-w-0 flex-col justify-between">
            <dt className="text-xs text-muted">{label}</dt>
            <dd className="min-h-5 font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="min-h-12 text-xs text-muted sm:min-h-4">
        {problem ? t('What this agent did could not be read.') : byAgent && noteOf({ usage, rate, kind }, t)}
      </p>
    </section>
  )
}

function isPerMinute(rate: CostRate | null, kind: AgentKind): boolean {
  return rate === null ? kind === 'agent' : rate.per === 'minute'
}

/** Where the figures come from. */
function noteOf(
  {
    usage,
    rate,
    kind,
  }: { readonly usage: Usage | undefined; readonly rate: CostRate | null; readonly kind: AgentKind },
  t: Text,
): string {
  if (usage === undefined) return t('What it costs and how fast it answers stands here after the first conversations.')
  const { calls, chats } = usage
  const source =
    kind === 'agent'
      ? t(
          'From {calls, plural, one {# call} other {# calls}} and {chats, plural, one {# chat} other {# chats}} of the last 30 days; costs as far as prices are known.',
          { calls, chats },
        )
      : t('From {chats, plural, one {# chat} other {# chats}} of the last 30 days; costs as far as prices are known.', {
          chats,
        })
  return rate?.per === 'minute' && rate.hasChats ? `${source} ${t('What its chats cost is in the minutes.')}` : source
}
