import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ProblemNote, ProblemPanel, Skeleton } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { getSourceName } from '../../parts/knowledge/source-info.ts'

/** Small, because passages can be long. */
const PAGE_SIZE = 25

interface PassagesDialogProps {
  readonly knowledgeBaseId: string
  readonly source: KnowledgeSource
  readonly onClose: () => void
}

/** Displays the indexed passages of a source. */
export function PassagesDialog({ knowledgeBaseId, source, onClose }: PassagesDialogProps) {
  const t = useText()
  const { rows, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePages(
    'listKnowledgeChunks',
    {
      path: { knowledgeBaseId, sourceId: source.source_id },
      query: { limit: PAGE_SIZE },
    },
  )
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('Passages of “{name}”', { name: getSourceName(source) ?? t('Untitled') })}
      description={t('In document order.')}
    >
      {isPending && error === null && <Skeleton lines={4} />}
      {error !== null && rows.length === 0 && <ProblemPanel problem={error} onRetry={() => void refetch()} />}
      {!isPending && error === null && rows.length === 0 && <p>{t('No passages yet.')}</p>}
      <ol className="flex flex-col gap-4">
        {rows.map(({ position, page, headings, text }) => (
          <li key={position} className="flex flex-col gap-1 border-t border-line pt-3 first:border-t-0 first:pt-0">
            <p className="text-xs text-muted" dir="auto">
              {[
                t('Passage {number}', { number: position + 1 }),
                ...(page === null ? [] : [t('page {page}', { page })]),
                ...headings,
              ].join(' · ')}
            </p>
            <p className="whitespace-pre-wrap" dir="auto">
              {text}
            </p>
          </li>
        ))}
      </ol>
      {error !== null && rows.length > 0 && <ProblemNote problem={error} />}
      {hasNextPage && (
        <Button className="w-fit self-center" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('Show more')}
        </Button>
      )}
    </Dialog>
  )
}
