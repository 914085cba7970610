import { Sparkles } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { type FreeObject, printValue } from './free-object.ts'
import { type Sentiment, SentimentBadge } from './sentiment-badge.tsx'

/** What was found out about a conversation; null until it was analysed. */
export interface Analysis {
  readonly summary: string | null
  readonly sentiment: Sentiment | null
  readonly successful: boolean | null
  readonly customData: FreeObject
}

export interface AnalysisPanelProps {
  readonly analysis: Analysis
  /** The conversation still goes on, or never began: there is nothing to analyse. */
  readonly reasonAgainst: string | null
  /** Absent for those who may not. */
  readonly onRun: (() => void) | undefined
  readonly isRunning: boolean
  readonly problem: Error | null
}

/** What was found out about a conversation, and another try at it. */
export function AnalysisPanel({ analysis, reasonAgainst, onRun, isRunning, problem }: AnalysisPanelProps) {
  const t = useText()
  const { summary, sentiment, successful, customData } = analysis
  const isKnown = summary !== null || sentiment !== null || successful !== null || Object.keys(customData).length > 0
  return (
    <Panel
      title={t('Analysis')}
      actions={
        onRun &&
        reasonAgainst === null && (
          <Button icon={Sparkles} busy={isRunning} onClick={onRun}>
            {isKnown ? t('Analyse again') : t('Analyse')}
          </Button>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {!isKnown && <p className="text-muted">{reasonAgainst ?? t('It was not analysed.')}</p>}
      {isKnown && (
        <>
          <div className="flex flex-wrap gap-2">
            {successful !== null && (
              <Badge tone={successful ? 'good' : 'bad'}>{successful ? t('Successful') : t('Not successful')}</Badge>
            )}
            {sentiment !== null && <SentimentBadge sentiment={sentiment} />}
          </div>
          {summary !== null && (
            <p dir="auto" className="whitespace-pre-wrap">
              {summary}
            </p>
          )}
          <Facts items={Object.entries(customData).map(([name, value]) => [name, printValue(value)])} />
        </>
      )}
    </Panel>
  )
}
