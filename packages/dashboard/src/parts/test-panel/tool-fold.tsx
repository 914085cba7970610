import { ChevronRight, Wrench } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'
import type { ToolPart } from './chat-state.ts'

/** A call of a tool, folded: what it was given and what it answered. */
export function ToolFold({ tool }: { readonly tool: ToolPart }) {
  const t = useText()
  const { name, result, isSuccessful } = tool
  return (
    <details className="group max-w-full min-w-0 self-start rounded-md border border-line bg-panel">
      <summary className="flex min-h-9 list-none items-center gap-2 px-2.5 py-1 [&::-webkit-details-marker]:hidden">
        <Wrench aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <code className="min-w-0 truncate text-xs" dir="auto">
          {name}
        </code>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90 rtl:-scale-x-100"
        />
        {result === null && <Badge>{t('Working')}</Badge>}
        {result !== null && isSuccessful === false && <Badge tone="bad">{t('Failed')}</Badge>}
        {result !== null && isSuccessful !== false && <Badge tone="good">{t('Answered')}</Badge>}
      </summary>
      <div className="flex flex-col gap-2 border-t border-line p-2.5">
        <ToolText label={t('Arguments')} text={tool.arguments} />
        {result !== null && <ToolText label={t('Result')} text={result} />}
      </div>
    </details>
  )
}

function ToolText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-muted">{label}</div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0} className="max-h-48 overflow-auto text-xs break-words whitespace-pre-wrap" dir="auto">
        {text === '' ? '–' : readableJson(text)}
      </pre>
    </div>
  )
} /** JSON with an indentation; anything else as it is. */
function readableJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
