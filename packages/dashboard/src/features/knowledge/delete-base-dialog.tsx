import type { KnowledgeBaseSummary } from '@parley/contract/knowledge-base'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before a knowledge base goes with its sources. */
export function DeleteBaseDialog({
  base: { knowledgeBaseId, name },
  onClose,
  onDeleted,
}: {
  readonly base: Pick<KnowledgeBaseSummary, 'knowledgeBaseId' | 'name'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteKnowledgeBase', { refreshes: ['listKnowledgeBases'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the knowledge base?')}
      consequence={t('All its sources go for good. Agents that draw on it answer without it.')}
      name={name}
      label={t('Delete knowledge base')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { knowledgeBaseId } },
          {
            onSuccess: () => {
              tell(t('The knowledge base is deleted.'))
              onClose()
              onDeleted?.()
            },
          },
        )
      }
    />
  )
}
