import type { ConversationFlow } from '@parley/contract/conversation-flow'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Download, Ellipsis, History, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { Button, ButtonLink, IconButton } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeleteFlowDialog } from './delete-flow-dialog.tsx'
import { useFlowCopies } from './flow-copies.ts'
import { nameOfFlow } from './flow-document.ts'
import { PublishFlowDialog } from './publish-flow-dialog.tsx'

export interface FlowActionsProps {
  readonly flow: ConversationFlow
  /** Saves what is edited; false keeps it from being published. */
  readonly beforePublish: () => Promise<boolean>
}

/** What can be done with a flow beside editing it. */
export function FlowActions({ flow, beforePublish }: FlowActionsProps) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const copies = useFlowCopies()
  const [isPublishing, setIsPublishing] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const { conversation_flow_id: flowId } = flow
  const items: readonly MenuItem[] = [
    { label: t('Export as a file'), icon: Download, onSelect: () => void copies.exportFile(flowId) },
    ...(may('createConversationFlow')
      ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void copies.duplicate(flowId) }]
      : []),
    ...(may('deleteConversationFlow')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => setIsDeleting(true) }]
      : []),
  ]
  return (
    <>
      <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('More actions')} />} />
      <ButtonLink icon={History} to="/$workspaceId/flows/$flowId/versions" params={{ workspaceId, flowId }}>
        {t('Versions')}
      </ButtonLink>
      {may('publishConversationFlow') && (
        <Button icon={Upload} onClick={() => setIsPublishing(true)}>
          {t('Publish')}
        </Button>
      )}
      {isPublishing && (
        <PublishFlowDialog
          flowId={flowId}
          version={null}
          before={beforePublish}
          onClose={() => setIsPublishing(false)}
        />
      )}
      {isDeleting && (
        <DeleteFlowDialog
          flowId={flowId}
          name={nameOfFlow(flow)}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => void navigate({ to: '/$workspaceId/flows', params: { workspaceId } })}
        />
      )}
    </>
  )
}
