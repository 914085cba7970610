import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { sourceName } from './source-facts.ts'

/** Asks before a source goes. Its name need not be typed: most can be added again. */
export function DeleteSourceDialog({
  knowledgeBaseId,
  source,
  onClose,
}: {
  readonly knowledgeBaseId: string
  readonly source: KnowledgeSource
  readonly onClose: () => void
}) {
  const t = useText()
  const remove = useWrite('deleteKnowledgeSource', {
    refreshes: ['getKnowledgeBase', 'listKnowledgeSources', 'listKnowledgeBases'],
  })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the source?')}
      consequence={t('“{name}” goes with everything that was read from it. No answer comes from it any more.', {
        name: sourceName(source) ?? t('Without a name'),
      })}
      label={t('Delete source')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { knowledgeBaseId, sourceId: source.source_id } },
          {
            onSuccess: () => {
              tell(t('The source is deleted.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
