import type { Usage } from '@parley/contract/usage'
import type { Column } from '../../components/data-list.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import type { AnyAgent } from './agent-kind.ts'
import { type AgentUsage, useAgentsOfWeek } from './agent-usage.ts'

export interface FigureColumns<Value extends AnyAgent> {
  readonly calls: Column<Value>
  readonly chats: Column<Value>
  readonly latency: Column<Value>
  readonly success: Column<Value>
  /** Where the figures are from. */
  readonly usage: AgentUsage
}

/** What agents did in the last seven days. A cell is empty until that is known, and keeps its room. */
export function useFigureColumns<Value extends AnyAgent>(): FigureColumns<Value> {
  const t = useText()
  const { number, duration, percent } = useFormats()
  const usage = useAgentsOfWeek()
  const { byAgent } = usage
  const column = (
    given: Pick<Column<Value>, 'key' | 'title' | 'from' | 'width'>,
    print: (usage: Usage) => string | null,
  ): Column<Value> => ({
    ...given,
    align: 'end',
    cell: ({ agent_id: agentId }) => (byAgent === null ? null : printFigure(byAgent.get(agentId), print)),
  })
  return {
    calls: column({ key: 'calls', title: t('Calls, 7\u00a0days'), from: 'md', width: 'w-20' }, ({ calls }) =>
      printUnless(0, calls, number),
    ),
    chats: column({ key: 'chats', title: t('Chats, 7\u00a0days'), from: 'md', width: 'w-20' }, ({ chats }) =>
      printUnless(0, chats, number),
    ),
    latency: column({ key: 'latency', title: t('Answers after (median)'), from: 'xl', width: 'w-28' }, (usage) =>
      printUnless(null, usage.latencyP50Ms, duration),
    ),
    success: column({ key: 'success', title: t('Success'), from: 'lg', width: 'w-20' }, ({ successRate }) =>
      printUnless(null, successRate, percent),
    ),
    usage,
  }
}

const NONE = '–'

function printFigure(usage: Usage | undefined, print: (usage: Usage) => string | null): string {
  return (usage && print(usage)) ?? NONE
}

function printUnless(none: number | null, value: number | null, print: (value: number) => string): string | null {
  return value === null || value === none ? null : print(value)
}
