import type { CallSummary } from '@parley/contract/call'
import { Badge, type Tone } from '../../components/badge.tsx'
import { useNow } from '../../lib/clock.ts'
import { type Formatter, useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'

export type Sentiment = NonNullable<CallSummary['sentiment']>

/** A status badge. The label is a catalog message. */
export interface BadgeVariant {
  readonly label: string
  readonly tone: Tone
}

const SENTIMENT_VARIANTS: Readonly<Record<Sentiment, BadgeVariant>> = {
  Positive: { label: message('Positive'), tone: 'good' },
  Neutral: { label: message('Neutral'), tone: 'plain' },
  Negative: { label: message('Negative'), tone: 'bad' },
  Unknown: { label: message('Unclear'), tone: 'plain' },
}

const OUTCOME_VARIANTS = {
  true: { label: message('Successful'), tone: 'good' },
  false: { label: message('Unsuccessful'), tone: 'bad' },
} as const

export function VariantBadge({ variant: { label, tone } }: { readonly variant: BadgeVariant }) {
  const t = useText()
  return <Badge tone={tone}>{t(label)}</Badge>
}

const Dash = () => <span className="text-muted">–</span>

/** Renders a sentiment, which is null until the conversation is analyzed. */
export function SentimentBadge({ sentiment }: { readonly sentiment: Sentiment | null }) {
  return sentiment === null ? <Dash /> : <VariantBadge variant={SENTIMENT_VARIANTS[sentiment]} />
}

/** Renders an outcome, which is null until the conversation is analyzed. */
export function OutcomeBadge({ successful }: { readonly successful: boolean | null }) {
  return successful === null ? <Dash /> : <VariantBadge variant={OUTCOME_VARIANTS[`${successful}`]} />
}

/** Formats a latency. All latencies use the same unit so that users can compare them. */
export const formatLatency = (format: Formatter, ms: number | null): string =>
  ms === null ? '–' : `${format.number(ms)} ms`

/** Displays a date and time in the browser's time zone. */
export function ExactTime({ at }: { readonly at: string | null }) {
  const format = useFormatter()
  if (at === null) return <Dash />
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {`${format.date(at)}, ${format.time(at)}`}
    </time>
  )
}

/** Displays the time since the start, updated every second. */
export function LiveClock({ startedAt }: { readonly startedAt: string }) {
  const format = useFormatter()
  return <span className="tabular-nums">{format.timecode((useNow() - Date.parse(startedAt)) / 1_000)}</span>
}

export function AgentCell({ name, version }: { readonly name: string; readonly version: number }) {
  const t = useText()
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <span dir="auto" className="truncate text-left" title={name}>
        {name === '' ? t('Unnamed') : name}
      </span>
      <span className="shrink-0 text-xs text-muted">v{version}</span>
    </span>
  )
}
