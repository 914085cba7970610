import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { File, FileText, Globe, type LucideIcon } from 'lucide-react'
import { useText } from '../../lib/language.ts'
import { sourceName, sourceOrigin, TYPE_LABELS, webAddress } from './source-facts.ts'
import { StatusBadge } from './status-badge.tsx'

const ICONS: Readonly<Record<KnowledgeSource['source_type'], LucideIcon>> = { text: FileText, url: Globe, file: File }

/** What a source is called, where it comes from, and why it could not be read. */
export function SourceName({ source }: { readonly source: KnowledgeSource }) {
  const t = useText()
  const Icon = ICONS[source.source_type]
  const origin = sourceOrigin(source)
  const address = webAddress(source.url)
  const name = sourceName(source) ?? t('Without a name')
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <span className="sr-only">{t(TYPE_LABELS[source.source_type])}: </span>
        <span className="line-clamp-2 font-medium" dir="auto">
          {address === null ? (
            name
          ) : (
            <a href={address} target="_blank" rel="noreferrer" className="hover:underline">
              {name}
            </a>
          )}
        </span>
        {origin !== null && (
          <span className="line-clamp-1 text-muted" dir="auto">
            {origin}
          </span>
        )}
        <span className="mt-1 block sm:hidden">
          <StatusBadge status={source.status} />
        </span>
        {source.error !== null && (
          <span className="block text-bad" dir="auto">
            {source.error}
          </span>
        )}
      </div>
    </div>
  )
}
