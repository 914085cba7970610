import type { Passage } from '@parley/contract/knowledge-passage'
import { BookOpen, ChevronRight } from 'lucide-react'
import { useText } from '../../lib/language.ts'
import { listSources } from './cited-passages.ts'

/** Renders the sources of a reply, with their passages collapsed. */
export function PassageNote({ passages }: { readonly passages: readonly Passage[] }) {
  const t = useText()
  if (passages.length === 0) return null
  const getSourceName = ({ sourceName, page }: Pick<Passage, 'sourceName' | 'page'>): string => {
    const name = sourceName === '' ? t('Untitled') : sourceName
    return page === null ? name : t('{name}, page {page}', { name, page })
  }
  return (
    <details className="group max-w-full min-w-0 self-stretch rounded-md border border-line bg-panel text-ink">
      <summary className="flex min-h-9 list-none items-center gap-2 px-2.5 py-1.5 [&::-webkit-details-marker]:hidden">
        <BookOpen aria-hidden="true" className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 flex-1 truncate text-xs">
          <span className="text-muted">{t('Sources:')} </span>
          <bdi>{listSources(passages).map(getSourceName).join(' · ')}</bdi>
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform group-open:rotate-90 rtl:-scale-x-100"
        />
      </summary>
      <ol aria-label={t('Retrieved passages')} className="flex flex-col gap-3 border-t border-line p-2.5">
        {passages.map((passage, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: passages have no IDs.
          <li key={index} className="flex min-w-0 flex-col gap-1">
            <p className="text-xs break-words text-muted" dir="auto">
              {[getSourceName(passage), ...passage.headings].join(' · ')}
            </p>
            <p className="wrap-anywhere whitespace-pre-wrap" dir="auto">
              {passage.text}
            </p>
          </li>
        ))}
      </ol>
    </details>
  )
}
