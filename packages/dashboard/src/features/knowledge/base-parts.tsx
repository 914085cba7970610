import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { LoaderCircle } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { useText } from '../../lib/language.ts'
import { isProcessing, STATUS_LABELS, STATUS_TONES } from './source-facts.ts'

/** The status of a source or a knowledge base. */
export function StatusBadge({ status }: { readonly status: KnowledgeSource['status'] }) {
  const t = useText()
  return (
    <Badge tone={STATUS_TONES[status]}>
      {isProcessing(status) && <LoaderCircle aria-hidden="true" className="size-3 animate-spin" />}
      {t(STATUS_LABELS[status])}
    </Badge>
  )
}

interface ProgressBarProps {
  readonly label: string
  readonly value: number
  readonly maximum: number
}

export function ProgressBar({ label, value, maximum }: ProgressBarProps) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={maximum}
      className="h-1.5 w-full appearance-none overflow-hidden rounded-full border-0 bg-sunken [&::-moz-progress-bar]:bg-brand-text [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-brand-text"
    />
  )
}

interface DeleteBaseProps {
  readonly base: { readonly knowledgeBaseId: string; readonly name: string }
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteBaseDialog({ base: { knowledgeBaseId, name }, onClose, onDeleted }: DeleteBaseProps) {
  const t = useText()
  return (
    <ConfirmDialog
      operation="deleteKnowledgeBase"
      parts={{ path: { knowledgeBaseId } }}
      refreshes={['listKnowledgeBases']}
      title={t('Delete knowledge base?')}
      consequence={t('All sources are permanently deleted. Agents that use it answer without it.')}
      name={name}
      label={t('Delete knowledge base')}
      success={t('Knowledge base deleted')}
      onClose={onClose}
      {...(onDeleted && { onSuccess: onDeleted })}
    />
  )
}
