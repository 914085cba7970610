import type { CallSummary } from '@parley/contract/call'
import { Badge, type Tone } from '../../components/badge.tsx'
import { message, useText } from '../../lib/language.ts'

/** How the other side felt, as the analysis found. */
export type Sentiment = NonNullable<CallSummary['sentiment']>

const LOOKS: Readonly<Record<Sentiment, { readonly label: string; readonly tone: Tone }>> = {
  Positive: { label: message('Positive'), tone: 'good' },
  Neutral: { label: message('Neutral'), tone: 'plain' },
  Negative: { label: message('Negative'), tone: 'bad' },
  Unknown: { label: message('Unclear'), tone: 'plain' },
}

/** The mood of a conversation in one word; nothing until it was analysed. */
export function SentimentBadge({ sentiment }: { readonly sentiment: Sentiment | null }) {
  const t = useText()
  if (sentiment === null) return <span className="text-muted">–</span>
  const { label, tone } = LOOKS[sentiment]
  return <Badge tone={tone}>{t(label)}</Badge>
}
