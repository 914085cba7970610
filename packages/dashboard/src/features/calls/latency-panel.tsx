import type { CallEvent, CallTurnLatency } from '@parley/contract/call-event'
import type { CallLatency } from '@parley/contract/call-latency'
import { Panel } from '../../components/page.tsx'
import { useFormats } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'

const PARTS: readonly (readonly [keyof CallLatency, string])[] = [
  ['e2e', message('Whole wait')],
  ['endOfTurn', message('Silence waited for')],
  ['recogniser', message('Speech recognition')],
  ['retrieval', message('Knowledge search')],
  ['model', message('Model, first word')],
  ['firstClause', message('First clause')],
  ['synthesis', message('Voice, first sound')],
  ['playout', message('On the way to the ear')],
]

const TURN_PARTS: readonly (readonly [keyof CallTurnLatency, string])[] = [
  ['totalMs', message('Whole wait')],
  ['endOfTurnMs', message('Silence waited for')],
  ['recogniserMs', message('Speech recognition')],
  ['modelFirstTokenMs', message('Model, first word')],
  ['synthesisFirstAudioMs', message('Voice, first sound')],
]

/** How long the caller waited for answers: over the whole call, and turn by turn. */
export function LatencyPanel({
  latency,
  events,
}: {
  readonly latency: CallLatency
  readonly events: readonly CallEvent[]
}) {
  const t = useText()
  const formats = useFormats()
  const measured = PARTS.flatMap(([name, label]) => {
    const figures = latency[name]
    return figures === null ? [] : [{ name, label, figures }]
  })
  const turns = events.flatMap((event) =>
    event.type === 'turn' && event.latency !== null
      ? [{ turnId: event.turnId, atMs: event.atMs, ...event.latency }]
      : [],
  )
  return (
    <Panel title={t('Latency')} description={t('From the last word of the caller to the first sound of the answer.')}>
      {measured.length === 0 && turns.length === 0 && <p className="text-muted">{t('Nothing was measured.')}</p>}
      {measured.length > 0 && (
        <LatencyTable
          caption={t('Latency of the whole call')}
          head={[t('Part'), t('Half within'), t('95 % within'), t('Longest')]}
          rows={measured.map(({ name, label, figures }) => ({
            key: name,
            cells: [t(label), ...[figures.p50, figures.p95, figures.max].map((value) => formats.duration(value))],
          }))}
        />
      )}
      {turns.length > 0 && (
        <details className="min-w-0">
          <summary className="font-medium">
            {t('{count, plural, one {# turn} other {# turns}}', { count: turns.length })}
          </summary>
          <LatencyTable
            caption={t('Latency of each turn')}
            head={[t('Time'), ...TURN_PARTS.map(([, label]) => t(label))]}
            rows={turns.map((turn) => ({
              key: turn.turnId,
              cells: [
                formats.clock(turn.atMs / 1_000),
                ...TURN_PARTS.map(([name]) => {
                  const value = turn[name]
                  return value === null ? '–' : formats.duration(value)
                }),
              ],
            }))}
          />
        </details>
      )}
    </Panel>
  )
}

function LatencyTable({
  caption,
  head,
  rows,
}: {
  readonly caption: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly string[] }[]
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
      tabIndex={0}
      aria-label={caption}
      className="max-h-96 overflow-auto"
    >
      <table className="w-full border-collapse">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {head.map((title, at) => (
              <th key={title} scope="col" className={`py-1.5 ps-2 font-medium ${at === 0 ? 'text-start' : 'text-end'}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity.
                  key={at}
                  className={`py-1.5 ps-2 ${at === 0 ? 'text-start' : 'text-end whitespace-nowrap tabular-nums'}`}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
