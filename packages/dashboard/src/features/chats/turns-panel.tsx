import type { ChatTurn, Decision } from '@parley/contract/chat-turn'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { formatLatency, VariantBadge } from '../../parts/transcript/conversation-cells.tsx'
import { TextBox } from '../../parts/transcript/conversation-panels.tsx'
import { DECISION_LABELS, TURN_VARIANTS } from './chat-labels.ts'

/** Displays the decisions of each turn, collapsed and loaded on demand. */
export function TurnsPanel({ chatId }: { readonly chatId: string }) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details
      className="min-w-0 rounded-lg border border-line bg-panel p-4 sm:p-5"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="font-semibold">{t('Decision trace')}</summary>
      {isOpen && <TurnList chatId={chatId} />}
    </details>
  )
}

function TurnList({ chatId }: { readonly chatId: string }) {
  const t = useText()
  const turns = usePages('listTurns', { path: { chatId } })
  if (turns.isPending) return <Skeleton lines={3} className="mt-3" />
  if (turns.error !== null && turns.rows.length === 0) {
    return <ProblemPanel problem={turns.error} onRetry={() => void turns.refetch()} />
  }
  if (turns.rows.length === 0) return <p className="mt-3 text-muted">{t('No turns yet.')}</p>
  return (
    <div className="mt-3 flex flex-col gap-3">
      <p className="text-muted">{t('Decisions, latency and token usage of each turn, latest first.')}</p>
      <ol className="flex flex-col gap-3">
        {turns.rows.map((turn) => (
          <Turn key={turn.turnId} turn={turn} />
        ))}
      </ol>
      {turns.hasNextPage && (
        <Button className="w-fit" busy={turns.isFetchingNextPage} onClick={() => void turns.fetchNextPage()}>
          {t('Older turns')}
        </Button>
      )}
    </div>
  )
}

function Turn({ turn }: { readonly turn: ChatTurn }) {
  const t = useText()
  const format = useFormatter()
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <time dateTime={turn.startedAt} className="font-medium tabular-nums">
          {format.time(turn.startedAt)}
        </time>
        <VariantBadge variant={TURN_VARIANTS[turn.status]} />
        {turn.firstTextMs !== null && (
          <span className="text-muted">
            {t('First text after {time}', { time: formatLatency(format, turn.firstTextMs) })}
          </span>
        )}
      </div>
      {turn.error !== null && (
        <p dir="auto" className="text-bad">
          {turn.error.message}
        </p>
      )}
      {turn.usage.map((modelUsage) => (
        <p
          key={`${modelUsage.model} ${modelUsage.inputTokens} ${modelUsage.outputTokens}`}
          className="text-xs text-muted"
        >
          {t('{model}: {input, number} input tokens, {output, number} output tokens', {
            model: modelUsage.model,
            input: modelUsage.inputTokens,
            output: modelUsage.outputTokens,
          })}
        </p>
      ))}
      {turn.decisions.map((decision, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: decisions have no ids.
        <DecisionNote key={index} decision={decision} />
      ))}
    </li>
  )
}

function DecisionNote({ decision: { type, ...fields } }: { readonly decision: Decision }) {
  const t = useText()
  const { rationale } = fields
  const label = t(DECISION_LABELS[type])
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <details className="min-w-0">
        <summary>{label}</summary>
        <TextBox label={label} text={JSON.stringify(fields, null, 2)} />
      </details>
      {typeof rationale === 'string' && rationale !== '' && (
        <p dir="auto" className="text-muted">
          {rationale}
        </p>
      )}
    </div>
  )
}
