import type { Usage, UsageGroup } from '@parley/contract/usage'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useChoices } from '../../parts/choices/choices.ts'

/** The figures of a range as numbers, an entry in each row. */
export function UsageTable({ entries, by }: { readonly entries: readonly Usage[]; readonly by: UsageGroup }) {
  const t = useText()
  const formats = useFormats()
  const agents = useChoices('agents')
  const chatAgents = useChoices('chatAgents')
  const nameOf = (key: string): string => {
    if (by === 'day') return formats.date(`${key}T00:00:00`)
    const name = agents.nameOf(key)
    return name === key ? chatAgents.nameOf(key) : name
  }
  const orDash = (value: number | null, print: (value: number) => string): string =>
    value === null ? '–' : print(value)
  const columns: readonly (readonly [string, (entry: Usage) => string, string?])[] = [
    [t('Calls'), ({ calls }) => formats.number(calls)],
    [t('Chats'), ({ chats }) => formats.number(chats)],
    [t('Minutes'), ({ minutes }) => formats.number(minutes, 1), 'hidden sm:table-cell'],
    [t('Cost'), ({ cost }) => formats.dollars(cost)],
    [t('Success'), ({ successRate }) => orDash(successRate, formats.percent), 'hidden md:table-cell'],
    [t('Answer time'), ({ latencyP50Ms }) => orDash(latencyP50Ms, formats.duration), 'hidden lg:table-cell'],
    [t('95 of 100 within'), ({ latencyP95Ms }) => orDash(latencyP95Ms, formats.duration), 'hidden lg:table-cell'],
    [t('Errors'), ({ errors }) => formats.number(errors), 'hidden sm:table-cell'],
  ]
  if (entries.length === 0) return <p className="text-muted">{t('Nothing in this range.')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
    <section tabIndex={0} aria-label={t('Figures of the range')} className="max-h-[32rem] overflow-auto">
      <table className="w-full border-collapse">
        <thead className="sticky top-0 bg-panel">
          <tr>
            <th scope="col" className="py-2 pe-3 text-start text-xs font-medium text-muted">
              {by === 'day' ? t('Day') : t('Agent')}
            </th>
            {columns.map(([title, , from]) => (
              <th key={title} scope="col" className={`py-2 ps-3 text-end text-xs font-medium text-muted ${from ?? ''}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.key} className="border-t border-line">
              <th scope="row" dir="auto" className="py-2 pe-3 text-start font-normal">
                {nameOf(entry.key)}
              </th>
              {columns.map(([title, print, from]) => (
                <td key={title} className={`py-2 ps-3 text-end whitespace-nowrap tabular-nums ${from ?? ''}`}>
                  {print(entry)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
