import { useNavigate } from '@tanstack/react-router'
import {
  Archive,
  ArchiveRestore,
  ClipboardCheck,
  Ear,
  Ellipsis,
  MessageSquareQuote,
  PhoneOff,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { complain, tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NO_ENGINE } from '../../parts/test-case/engine.ts'
import { testedEngine } from '../../parts/test-case/from-conversation.ts'
import { SaveTestCaseDialog } from '../../parts/test-case/save-test-case-dialog.tsx'
import { isLive, isOver, type ShownCall } from './call-state.ts'
import { DeleteCallDialog } from './delete-call-dialog.tsx'
import { EndCallDialog } from './end-call-dialog.tsx'
import { SpeakDialog } from './speak-dialog.tsx'
import type { Listening } from './use-listening.ts'

export interface CallActionsProps {
  readonly call: ShownCall
  /** What the caller said, in its order. */
  readonly said: readonly string[]
  readonly listening: Listening
}

/** What can be done with a call, by those who may. */
export function CallActions({ call, said, listening }: CallActionsProps) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [open, setOpen] = useState<'end' | 'speak' | 'save' | 'delete' | null>(null)
  const items = useMenuItems(call, {
    onSave: said.length === 0 ? null : () => setOpen('save'),
    onDelete: () => setOpen('delete'),
  })
  const close = (): void => setOpen(null)
  const { callId } = call
  return (
    <>
      {isLive(call) && may('listenToCall') && listening.phase === 'idle' && (
        <Button icon={Ear} onClick={listening.start}>
          {t('Listen')}
        </Button>
      )}
      {isLive(call) && may('controlCall') && (
        <Button icon={MessageSquareQuote} onClick={() => setOpen('speak')}>
          {t('Step in …')}
        </Button>
      )}
      {!isOver(call) && may('endCall') && (
        <Button kind="danger" icon={PhoneOff} onClick={() => setOpen('end')}>
          {t('End call')}
        </Button>
      )}
      {items.length > 0 && <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('More actions')} />} />}
      {open === 'end' && <EndCallDialog callId={callId} onClose={close} />}
      {open === 'speak' && <SpeakDialog callId={callId} onClose={close} />}
      {open === 'save' && <SaveCallDialog call={call} said={said} onClose={close} />}
      {open === 'delete' && (
        <DeleteCallDialog
          callId={callId}
          onClose={close}
          onDeleted={() => void navigate({ to: '/$workspaceId/calls', params: { workspaceId }, replace: true })}
        />
      )}
    </>
  )
}

interface MenuChoices {
  /** Null where nothing was said. */
  readonly onSave: (() => void) | null
  readonly onDelete: () => void
}

function useMenuItems(call: ShownCall, { onSave, onDelete }: MenuChoices): readonly MenuItem[] {
  const t = useText()
  const may = useMay()
  const archive = useWrite('archiveCall', { refreshes: ['getCall', 'listCalls', 'listCallHistory'] })
  const isArchived = call.archivedAt !== null
  const setArchived = (): void =>
    archive.mutate(
      { path: { callId: call.callId }, body: { archived: !isArchived } },
      {
        onSuccess: () => tell(isArchived ? t('The call is back in the lists.') : t('The call is archived.')),
        onError: ({ message }) => complain(message),
      },
    )
  return [
    ...(may('createTestCase') && onSave !== null
      ? [{ label: t('Save as test case …'), icon: ClipboardCheck, onSelect: onSave }]
      : []),
    ...(may('archiveCall')
      ? [
          isArchived
            ? { label: t('Put back into the lists'), icon: ArchiveRestore, onSelect: setArchived }
            : { label: t('Archive'), icon: Archive, onSelect: setArchived },
        ]
      : []),
    ...(may('deleteCall') && isOver(call)
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: onDelete }]
      : []),
  ]
}

/** Makes a test case of a call, for the engine that its agent had. */
function SaveCallDialog({
  call,
  said,
  onClose,
}: {
  readonly call: ShownCall
  readonly said: readonly string[]
  readonly onClose: () => void
}) {
  const t = useText()
  const { callId, agentId, agentVersion, service_dynamic_variables: given, overrideDynamicVariables: set } = call
  const agent = useRead('getAgent', { path: { agentId }, query: { version: String(agentVersion) } })
  // Where the agent is gone its engine is not known, and another one is chosen.
  if (agent.isPending) return null
  return (
    <SaveTestCaseDialog
      said={said}
      variables={{ ...given, ...set }}
      engine={agent.data === undefined ? NO_ENGINE : testedEngine(agent.data.response_engine)}
      description={t('Made of the call {id}.', { id: callId })}
      onClose={onClose}
    />
  )
}
