import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { DescriptionList, Panel } from '../../components/page.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { useText } from '../../lib/language.ts'
import { OutcomeBadge, type Sentiment, SentimentBadge } from './conversation-cells.tsx'
import { type CustomData, formatValue } from './custom-data.ts'

/** Results of the conversation analysis. Fields that were not analyzed are null. */
export interface Analysis {
  readonly summary: string | null
  readonly sentiment: Sentiment | null
  readonly successful: boolean | null
  readonly customData: CustomData
}

export interface AnalysisPanelProps {
  readonly analysis: Analysis
  /** Why the analysis cannot run, or null if it can. */
  readonly blockedReason: string | null
  /** Absent for users without permission. */
  readonly onRun: (() => void) | undefined
  readonly isRunning: boolean
  readonly problem: Error | null
}

export function AnalysisPanel({ analysis, blockedReason, onRun, isRunning, problem }: AnalysisPanelProps) {
  const t = useText()
  const { summary, sentiment, successful, customData } = analysis
  const isAnalyzed = summary !== null || sentiment !== null || successful !== null || Object.keys(customData).length > 0
  return (
    <Panel
      title={t('Analysis')}
      actions={
        onRun &&
        blockedReason === null && (
          <Button icon={Sparkles} busy={isRunning} onClick={onRun}>
            {isAnalyzed ? t('Analyze again') : t('Analyze')}
          </Button>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {!isAnalyzed && <p className="text-muted">{blockedReason ?? t('Not analyzed.')}</p>}
      {isAnalyzed && (
        <>
          <div className="flex flex-wrap gap-2">
            {successful !== null && <OutcomeBadge successful={successful} />}
            {sentiment !== null && <SentimentBadge sentiment={sentiment} />}
          </div>
          {summary !== null && (
            <p dir="auto" className="whitespace-pre-wrap">
              {summary}
            </p>
          )}
          <DescriptionList items={Object.entries(customData).map(([name, value]) => [name, formatValue(value)])} />
        </>
      )}
    </Panel>
  )
}

/** Renders a long text, such as JSON, in a scrollable box. */
export function TextBox({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls.
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      className="max-h-96 min-w-0 overflow-auto rounded-md bg-sunken p-2.5"
    >
      <pre dir="auto" className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  )
}

/** Renders a record's API response in a collapsed section. */
export function RawJson({ value }: { readonly value: unknown }) {
  const t = useText()
  const [isOpen, setIsOpen] = useState(false)
  const text = isOpen ? JSON.stringify(value, null, 2) : ''
  return (
    <details
      className="min-w-0 rounded-lg border border-line bg-panel p-4 sm:p-5"
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary className="font-semibold">JSON</summary>
      {isOpen && (
        <div className="mt-3 flex flex-col gap-2">
          <div className="flex items-center justify-between gap-2 text-muted">
            <p>{t('The API response for this record.')}</p>
            <CopyButton text={text} label={t('Copy JSON')} />
          </div>
          <TextBox label="JSON" text={text} />
        </div>
      )}
    </details>
  )
}
