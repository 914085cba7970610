import type { Llm } from '@parley/contract/llm'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, History, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink, IconButton } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeleteLlmDialog } from './delete-llm-dialog.tsx'
import { useDuplicateLlm } from './duplicate-llm.ts'
import { PublishLlmDialog } from './publish-llm-dialog.tsx'

/** What can be done with a configuration beside editing it. */
export function LlmActions({ llm, save }: { readonly llm: Llm; readonly save: () => Promise<boolean> }) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const duplicate = useDuplicateLlm()
  const [asked, setAsked] = useState<'publish' | 'delete' | null>(null)
  const llmId = llm.llm_id
  async function openCopy(): Promise<void> {
    const copy = await duplicate(llmId)
    if (copy !== null) await navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: copy } })
  }
  const items: readonly MenuItem[] = [
    ...(may('createLlm') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void openCopy() }] : []),
    ...(may('deleteLlm')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => setAsked('delete') }]
      : []),
  ]
  return (
    <>
      {items.length > 0 && <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('Further actions')} />} />}
      <ButtonLink icon={History} to="/$workspaceId/llms/$llmId/versions" params={{ workspaceId, llmId }}>
        {t('Versions')}
      </ButtonLink>
      {may('publishLlm') && (
        <Button icon={Upload} onClick={() => setAsked('publish')}>
          {t('Publish')}
        </Button>
      )}
      {asked === 'publish' && (
        <PublishLlmDialog llmId={llmId} version={null} before={save} onClose={() => setAsked(null)} />
      )}
      {asked === 'delete' && (
        <DeleteLlmDialog
          llmId={llmId}
          name={llm.display_name}
          onClose={() => setAsked(null)}
          onDeleted={() => void navigate({ to: '/$workspaceId/llms', params: { workspaceId } })}
        />
      )}
    </>
  )
}
