import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { LoaderCircle } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { useText } from '../../lib/language.ts'
import { isProcessing, STATUS_LABELS, STATUS_TONES } from '../../parts/knowledge/source-info.ts'

/** Displays the status of a source or knowledge base. */
export function StatusBadge({ status }: { readonly status: KnowledgeSource['status'] }) {
  const t = useText()
  return (
    <Badge tone={STATUS_TONES[status]}>
      {isProcessing(status) && <LoaderCircle aria-hidden="true" className="size-3 animate-spin" />}
      {t(STATUS_LABELS[status])}
    </Badge>
  )
}

interface DeleteBaseDialogProps {
  readonly base: { readonly knowledgeBaseId: string; readonly name: string }
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteBaseDialog({ base: { knowledgeBaseId, name }, onClose, onDeleted }: DeleteBaseDialogProps) {
  const t = useText()
  return (
    <ConfirmDialog
      operation="deleteKnowledgeBase"
      params={{ path: { knowledgeBaseId } }}
      invalidates={['listKnowledgeBases']}
      title={t('Delete knowledge base?')}
      description={t(
        'All sources are permanently deleted. Agents that use this knowledge base will answer without it.',
      )}
      name={name}
      label={t('Delete knowledge base')}
      successMessage={t('Knowledge base deleted')}
      onClose={onClose}
      {...(onDeleted && { onSuccess: onDeleted })}
    />
  )
}
