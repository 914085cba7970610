import { ChevronRight, Wrench } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { useFormats } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { TextBox } from './text-box.tsx'
import { prettyJson, type ToolUse } from './transcript-line.ts'

/** A tool that was used, folded: what it was given and what it answered. */
export function ToolNote({ tool }: { readonly tool: ToolUse }) {
  const t = useText()
  const formats = useFormats()
  return (
    <details className="group min-w-0 rounded-md border border-line">
      <summary className="flex min-h-9 flex-wrap items-center gap-2 px-2.5 py-1.5">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span dir="auto" className="min-w-0 font-mono text-xs">
          {tool.name}
        </span>
        {tool.isSuccessful === false && <Badge tone="bad">{t('Failed')}</Badge>}
        {tool.result === null && <Badge>{t('No answer yet')}</Badge>}
        {tool.durationMs !== null && (
          <span className="text-xs text-muted tabular-nums">{formats.duration(tool.durationMs)}</span>
        )}
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-2.5">
        <p className="text-xs text-muted">{t('Arguments')}</p>
        <TextBox label={t('Arguments')} text={prettyJson(tool.arguments)} />
        {tool.result !== null && (
          <>
            <p className="text-xs text-muted">{t('Result')}</p>
            <TextBox label={t('Result')} text={prettyJson(tool.result)} />
          </>
        )}
      </div>
    </details>
  )
}
