import type { KnowledgeSource } from '@parley/contract/knowledge-source'
import { Ellipsis, List, RotateCw, Trash2 } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { complain, tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { isWorking, sourceName } from './source-facts.ts'

/** What can be done with a source. */
export function SourceMenu({
  knowledgeBaseId,
  source,
  onShowPassages,
  onDelete,
}: {
  readonly knowledgeBaseId: string
  readonly source: KnowledgeSource
  readonly onShowPassages: () => void
  readonly onDelete: () => void
}) {
  const t = useText()
  const may = useMay()
  const again = useWrite('refreshKnowledgeBase', { refreshes: ['getKnowledgeBase', 'listKnowledgeSources'] })
  const { source_id: id, status, source_type: type, chunkCount } = source
  // Texts and files that were read are not kept: only pages can be read again.
  const canRefresh = status === 'error' || (type === 'url' && !isWorking(status))
  const readAgain = (): void =>
    again.mutate(
      { path: { knowledgeBaseId }, body: { sourceIds: [id] } },
      { onSuccess: () => tell(t('The source is read again.')), onError: ({ message }) => complain(message) },
    )
  const items: readonly MenuItem[] = [
    ...(chunkCount > 0 ? [{ label: t('Show passages'), icon: List, onSelect: onShowPassages }] : []),
    ...(canRefresh && may('refreshKnowledgeBase')
      ? [{ label: status === 'error' ? t('Try again') : t('Read again'), icon: RotateCw, onSelect: readAgain }]
      : []),
    ...(may('deleteKnowledgeSource')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: onDelete }]
      : []),
  ]
  if (items.length === 0) return null
  const name = sourceName(source) ?? t('Without a name')
  return <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('Actions for {name}', { name })} />} />
}
