import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { LoaderCircle } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'
import { isWorking, STATUS_LABELS, STATUS_TONES } from './source-facts.ts'

/** How far a source or a knowledge base is. */
export function StatusBadge({ status }: { readonly status: KnowledgeSource['status'] }) {
  const t = useText()
  return (
    <Badge tone={STATUS_TONES[status]}>
      {isWorking(status) && <LoaderCircle aria-hidden="true" className="size-3 animate-spin" />}
      {t(STATUS_LABELS[status])}
    </Badge>
  )
}
