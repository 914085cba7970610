import type { CallEvent, CallTurnLatency } from '@parley/contract/call-event'
import type { CallLatency } from '@parley/contract/call-latency'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyText } from '../../components/copy-button.tsx'
import { DescriptionList, Panel } from '../../components/page.tsx'
import { useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import { ExactTime, formatLatency } from '../../parts/transcript/conversation-cells.tsx'
import { getProductLabel, getUnitLabel } from '../../parts/transcript/cost-labels.ts'
import { END_REASONS, getDirectionLabel } from './call-labels.tsx'
import { findTurnStarts } from './call-lines.ts'
import type { CallRecord } from './call-state.ts'

const LINK_CLASS = 'underline underline-offset-2'

export function CallDetails({ call }: { readonly call: CallRecord }) {
  const t = useText()
  const { workspaceId, agentId, agentVersion, agentPath, parentCallId, disconnectionReason } = call
  const renderAgentLink = (id: string, name: string) => (
    <Link key={id} to="/$workspaceId/agents/$agentId" params={{ workspaceId, agentId: id }} className={LINK_CLASS}>
      {name}
    </Link>
  )
  const buildOptionalItem = (label: string, value: ReactNode): (readonly [string, ReactNode])[] =>
    value === null ? [] : [[label, value]]
  return (
    <Panel title={t('Details')}>
      <DescriptionList
        items={[
          [t('Agent'), renderAgentLink(agentId, `${call.agentName || t('Unnamed')}, v${agentVersion}`)],
          ...agentPath
            .slice(1)
            .map(
              (agent, index) =>
                [
                  t('Agent {number}', { number: index + 2 }),
                  renderAgentLink(agent.agentId, `${agent.agentId}, v${agent.agentVersion}`),
                ] as const,
            ),
          [t('Direction'), t(getDirectionLabel(call.direction))],
          ...buildOptionalItem(t('From number'), call.fromNumber),
          ...buildOptionalItem(t('To number'), call.toNumber),
          [t('Created'), <ExactTime key="created" at={call.createdAt} />],
          [t('Started'), <ExactTime key="started" at={call.startedAt} />],
          [t('Ended'), <ExactTime key="ended" at={call.endedAt} />],
          ...buildOptionalItem(
            t('End reason'),
            disconnectionReason === null ? null : t(END_REASONS[disconnectionReason]),
          ),
          [t('Call ID'), <CopyText key="id" text={call.callId} />],
          [t('Agent ID'), <CopyText key="agent" text={agentId} />],
          ...buildOptionalItem(
            t('Parent call'),
            parentCallId === null ? null : (
              <Link
                key="parent"
                to="/$workspaceId/calls/$callId"
                params={{ workspaceId, callId: parentCallId }}
                className={LINK_CLASS}
              >
                {parentCallId}
              </Link>
            ),
          ),
        ]}
      />
    </Panel>
  )
}

export function CostsPanel({ call: { costs, costBreakdown } }: { readonly call: CallRecord }) {
  const t = useText()
  const format = useFormatter()
  const formatDollars = (amount: number | null): string => (amount === null ? t('Unknown') : format.dollars(amount))
  // Aligns the column with the costs in the table above.
  const renderCost = (amount: number | null) => (
    <span className="block text-end tabular-nums">{formatDollars(amount)}</span>
  )
  return (
    <Panel title={t('Cost')} description={t('US dollars. Unpriced items are excluded.')}>
      {costBreakdown.length > 0 && (
        <table className="w-full table-fixed border-collapse">
          <caption className="sr-only">{t('Cost breakdown')}</caption>
          <thead>
            <tr className="border-b border-line text-xs text-muted">
              <th scope="col" className="py-1.5 pe-3 text-start font-medium">
                {t('Item')}
              </th>
              <th scope="col" className="w-24 py-1.5 pe-3 text-end font-medium">
                {t('Quantity')}
              </th>
              <th scope="col" className="w-20 py-1.5 text-end font-medium">
                {t('Cost')}
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {costBreakdown.map(({ product, model, quantity, unit, cost }) => (
              <tr key={`${product} ${model} ${unit}`}>
                <td dir="auto" className="py-1.5 pe-3 align-top">
                  {t(getProductLabel(product))}
                  {model !== null && <span className="block text-xs text-muted">{model}</span>}
                </td>
                <td className="py-1.5 pe-3 text-end align-top tabular-nums">
                  {format.number(quantity, 1)}
                  <span className="block text-xs text-muted">{t(getUnitLabel(unit))}</span>
                </td>
                <td className="py-1.5 text-end align-top tabular-nums">{formatDollars(cost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <DescriptionList
        items={[
          [t('Speech synthesis'), renderCost(costs.voice)],
          [t('Language model'), renderCost(costs.llm)],
          [t('Subtotal'), renderCost(costs.gross)],
          [t('Total charged'), <strong key="total">{renderCost(costs.total)}</strong>],
        ]}
      />
    </Panel>
  )
}

const STAGES: readonly (readonly [keyof CallLatency, string])[] = [
  ['e2e', message('Total')],
  ['endOfTurn', message('End-of-turn wait')],
  ['recogniser', message('Speech recognition')],
  ['retrieval', message('Knowledge search')],
  ['model', message('Time to first token')],
  ['firstClause', message('First clause')],
  ['synthesis', message('First audio')],
  ['playout', message('Playback delay')],
]

const TURN_STAGES: readonly (readonly [keyof CallTurnLatency, string])[] = [
  ['totalMs', message('Total')],
  ['endOfTurnMs', message('End-of-turn wait')],
  ['recogniserMs', message('Speech recognition')],
  ['modelFirstTokenMs', message('Time to first token')],
  ['synthesisFirstAudioMs', message('First audio')],
]

interface LatencyPanelProps {
  readonly latency: CallLatency
  readonly events: readonly CallEvent[]
  /** Seeks to a time in the call. */
  readonly onSeek: (atMs: number) => void
}

/** Displays the latency of the call and of each turn. */
export function LatencyPanel({ latency, events, onSeek }: LatencyPanelProps) {
  const t = useText()
  const format = useFormatter()
  const measuredStages = STAGES.flatMap(([name, label]) => {
    const stats = latency[name]
    return stats === null ? [] : [{ name, label, stats }]
  })
  const turnStarts = findTurnStarts(events)
  const turns = events.flatMap((event) =>
    event.type === 'turn' && event.latency !== null
      ? [{ turnId: event.turnId, atMs: turnStarts.get(event.turnId) ?? event.atMs, latency: event.latency }]
      : [],
  )
  return (
    <Panel title={t('Latency')} description={t('From the end of the caller’s speech to the first audio of the reply.')}>
      {measuredStages.length === 0 && turns.length === 0 && <p className="text-muted">{t('No measurements')}</p>}
      {measuredStages.length > 0 && (
        <LatencyTable
          caption={t('Latency by stage')}
          titles={[t('Stage'), t('Median'), 'p95', t('Maximum')]}
          rows={measuredStages.map(({ name, label, stats }) => ({
            key: name,
            header: t(label),
            cells: [stats.p50, stats.p95, stats.max].map((ms) => formatLatency(format, ms)),
          }))}
        />
      )}
      {turns.length > 0 && (
        <details className="min-w-0">
          <summary className="font-medium">
            {t('{count, plural, one {# turn} other {# turns}}', { count: turns.length })}
          </summary>
          <LatencyTable
            caption={t('Latency by turn')}
            titles={[t('Time'), ...TURN_STAGES.map(([, label]) => t(label))]}
            rows={turns.map(({ turnId, atMs, latency: turnLatency }) => ({
              key: turnId,
              header: <TurnTime atMs={atMs} onSeek={onSeek} />,
              cells: TURN_STAGES.map(([name]) => formatLatency(format, turnLatency[name])),
              onClick: () => onSeek(atMs),
            }))}
          />
        </details>
      )}
    </Panel>
  )
}

function TurnTime({ atMs, onSeek }: { readonly atMs: number } & Pick<LatencyPanelProps, 'onSeek'>) {
  const t = useText()
  const time = useFormatter().timecode(atMs / 1_000)
  return (
    <button
      type="button"
      aria-label={t('Go to {time}', { time })}
      className="min-h-6 min-w-6 text-start tabular-nums underline underline-offset-2"
      onClick={(event) => {
        event.stopPropagation()
        onSeek(atMs)
      }}
    >
      {time}
    </button>
  )
}

interface LatencyRow {
  readonly key: string
  readonly header: ReactNode
  readonly cells: readonly string[]
  readonly onClick?: () => void
}

interface LatencyTableProps {
  readonly caption: string
  readonly titles: readonly string[]
  readonly rows: readonly LatencyRow[]
}

function LatencyTable({ caption, titles, rows }: LatencyTableProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
      tabIndex={0}
      aria-label={caption}
      className="max-h-96 overflow-auto"
    >
      <table className="w-full border-collapse">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-xs text-muted">
            {titles.map((title, index) => (
              <th
                key={title}
                scope="col"
                className={`py-1.5 ps-2 font-medium ${index === 0 ? 'text-start' : 'text-end'}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ key, header, cells, onClick }) => (
            <tr key={key} onClick={onClick} className={onClick && 'cursor-pointer hover:bg-sunken'}>
              <td className="py-1.5 ps-2">{header}</td>
              {cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no ids.
                <td key={index} className="py-1.5 ps-2 text-end whitespace-nowrap tabular-nums">
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
