import type { Usage, UsageGroup } from '@parley/contract/usage'
import { type Column, DataList } from '../../components/data-list.tsx'
import { wholeList } from '../../lib/api/whole-list.ts'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'

/** The figures of a range as numbers, an entry in each row; there may be thousands of agents. */
export function UsageTable({ entries, by }: { readonly entries: readonly Usage[]; readonly by: UsageGroup }) {
  const t = useText()
  return (
    <DataList
      label={t('Figures of the range')}
      pages={wholeList(entries)}
      columns={useColumns(by)}
      rowKey={({ key }) => key}
      empty={<p className="text-muted">{t('Nothing in this range.')}</p>}
    />
  )
}

function useColumns(by: UsageGroup): readonly Column<Usage>[] {
  const t = useText()
  const formats = useFormats()
  const nameOf = useNames(by)
  const orDash = (value: number | null, print: (value: number) => string): string =>
    value === null ? '–' : print(value)
  const number = { align: 'end', width: 'w-24' } as const
  return [
    {
      key: 'key',
      title: by === 'day' ? t('Day') : t('Agent'),
      cell: ({ key }) => <span className="line-clamp-2 break-words">{nameOf(key)}</span>,
    },
    { ...number, key: 'calls', title: t('Calls'), width: 'w-20', cell: ({ calls }) => formats.number(calls) },
    {
      ...number,
      key: 'chats',
      title: t('Chats'),
      from: 'sm',
      width: 'w-20',
      cell: ({ chats }) => formats.number(chats),
    },
    {
      ...number,
      key: 'minutes',
      title: t('Minutes'),
      from: 'sm',
      cell: ({ minutes }) => formats.number(minutes, 1),
    },
    { ...number, key: 'cost', title: t('Cost'), cell: ({ cost }) => formats.dollars(cost) },
    {
      ...number,
      key: 'success',
      title: t('Success'),
      from: 'md',
      cell: ({ successRate }) => orDash(successRate, formats.percent),
    },
    {
      ...number,
      key: 'p50',
      title: t('Answer time'),
      from: 'lg',
      width: 'w-28',
      cell: ({ latencyP50Ms }) => orDash(latencyP50Ms, formats.duration),
    },
    {
      ...number,
      key: 'p95',
      title: t('95 of 100 within'),
      from: 'lg',
      width: 'w-36',
      cell: ({ latencyP95Ms }) => orDash(latencyP95Ms, formats.duration),
    },
    { ...number, key: 'errors', title: t('Errors'), from: 'sm', cell: ({ errors }) => formats.number(errors) },
  ]
}

/** What an entry is about: a day, or the name of an agent. */
function useNames(by: UsageGroup): (key: string) => string {
  const formats = useFormats()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  return (key) => {
    if (by === 'day') return formats.date(`${key}T00:00:00`)
    const name = agents.nameOf(key)
    return name === key ? chatAgents.nameOf(key) : name
  }
}
