import { useNavigate } from '@tanstack/react-router'
import { Archive, ArchiveRestore, ClipboardCheck, Ear, MessageSquareQuote, PhoneOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField, SwitchField, TextAreaField } from '../../components/fields.tsx'
import { type MenuItem, RowMenu } from '../../components/menu.tsx'
import { ConfirmDialog, OperationDialog } from '../../components/operation-dialog.tsx'
import { useAction } from '../../components/use-action.ts'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NO_ENGINE } from '../../parts/test-case/engine.ts'
import { toTestedEngine } from '../../parts/test-case/from-conversation.ts'
import { SaveTestCaseDialog } from '../../parts/test-case/save-test-case-dialog.tsx'
import { type CallRecord, isFinished, isLive } from './call-state.ts'
import type { CallListener } from './use-call-listener.ts'

export interface CallActionsProps {
  readonly call: CallRecord
  /** The caller's utterances in order. */
  readonly userMessages: readonly string[]
  readonly listener: CallListener
}

export function CallActions({ call, userMessages, listener }: CallActionsProps) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [openDialog, setOpenDialog] = useState<'end' | 'speak' | 'save' | 'delete' | null>(null)
  const items = useMenuItems(call, {
    onSave: userMessages.length === 0 ? null : () => setOpenDialog('save'),
    onDelete: () => setOpenDialog('delete'),
  })
  const closeDialog = (): void => setOpenDialog(null)
  const { callId } = call
  return (
    <>
      {isLive(call) && can('listenToCall') && listener.phase === 'idle' && (
        <Button icon={Ear} onClick={listener.start}>
          {t('Listen')}
        </Button>
      )}
      {isLive(call) && can('controlCall') && (
        <Button icon={MessageSquareQuote} onClick={() => setOpenDialog('speak')}>
          {t('Intervene…')}
        </Button>
      )}
      {!isFinished(call) && can('endCall') && (
        <Button kind="danger" icon={PhoneOff} onClick={() => setOpenDialog('end')}>
          {t('End call')}
        </Button>
      )}
      <RowMenu items={items} />
      {openDialog === 'end' && <EndCallDialog callId={callId} onClose={closeDialog} />}
      {openDialog === 'speak' && <InterveneDialog callId={callId} onClose={closeDialog} />}
      {openDialog === 'save' && <SaveCallDialog call={call} userMessages={userMessages} onClose={closeDialog} />}
      {openDialog === 'delete' && (
        <ConfirmDialog
          operation="deleteCall"
          params={{ path: { callId } }}
          invalidates={['listCalls', 'listCallHistory']}
          title={t('Delete call?')}
          description={t('Transcript, recording and all other data of this call are permanently deleted.')}
          name={callId}
          label={t('Delete call')}
          successMessage={t('Call deleted')}
          onClose={closeDialog}
          onSuccess={() => void navigate({ to: '/$workspaceId/calls', params: { workspaceId }, replace: true })}
        />
      )}
    </>
  )
}

interface MenuHandlers {
  /** Null if the caller said nothing. */
  readonly onSave: (() => void) | null
  readonly onDelete: () => void
}

function useMenuItems(call: CallRecord, { onSave, onDelete }: MenuHandlers): readonly (MenuItem | false)[] {
  const t = useText()
  const can = useCan()
  const archive = useAction('archiveCall', ['getCall', 'listCalls', 'listCallHistory'])
  const isArchived = call.archivedAt !== null
  const toggleArchived = (): void =>
    archive.run(
      { path: { callId: call.callId }, body: { archived: !isArchived } },
      isArchived ? t('Call restored') : t('Call archived'),
    )
  return [
    can('createTestCase') &&
      onSave !== null && { label: t('Save as test case…'), icon: ClipboardCheck, onSelect: onSave },
    can('archiveCall') && {
      label: isArchived ? t('Restore') : t('Archive'),
      icon: isArchived ? ArchiveRestore : Archive,
      onSelect: toggleArchived,
    },
    can('deleteCall') && isFinished(call) && { label: t('Delete…'), icon: Trash2, kind: 'danger', onSelect: onDelete },
  ]
}

interface CallDialogProps {
  readonly callId: string
  readonly onClose: () => void
}

export function EndCallDialog({ callId, onClose }: CallDialogProps) {
  const t = useText()
  return (
    <ConfirmDialog
      operation="endCall"
      params={{ path: { callId } }}
      invalidates={['listCalls', 'listCallHistory', 'getCall']}
      title={t('End call?')}
      description={t('The caller is disconnected immediately, even mid-sentence.')}
      label={t('End call')}
      successMessage={t('Call ended')}
      onClose={onClose}
    />
  )
}

/** Makes the agent in a live call say something, or sends it a note that the caller does not hear. */
function InterveneDialog({ callId, onClose }: CallDialogProps) {
  const t = useText()
  const [mode, setMode] = useState<'say' | 'inject'>('say')
  const [text, setText] = useState('')
  const [isInterruptible, setIsInterruptible] = useState(true)
  const [shouldRespond, setShouldRespond] = useState(true)
  const isSpeech = mode === 'say'
  return (
    <OperationDialog
      operation="controlCall"
      params={{
        path: { callId },
        body: isSpeech
          ? { say: { text, interruptible: isInterruptible } }
          : { inject: { text, respond: shouldRespond } },
      }}
      title={t('Intervene in the call')}
      submitLabel={isSpeech ? t('Speak') : t('Send note')}
      canSubmit={text.trim() !== ''}
      successMessage={isSpeech ? t('The agent is speaking') : t('Note sent')}
      onClose={onClose}
    >
      <SelectField
        label={t('Action')}
        value={mode}
        choices={[
          { value: 'say', label: t('Say to the caller') },
          { value: 'inject', label: t('Note to the agent') },
        ]}
        onChange={setMode}
      />
      <TextAreaField
        key={mode}
        label={t('Text')}
        name={`${mode}.text`}
        help={isSpeech ? t('The agent speaks this text word for word.') : t('The caller does not hear the note.')}
        value={text}
        onChange={setText}
      />
      {isSpeech ? (
        <SwitchField label={t('Interruptible')} value={isInterruptible} onChange={setIsInterruptible} />
      ) : (
        <SwitchField
          label={t('Respond immediately')}
          help={t('Otherwise the agent uses the note in its next turn.')}
          value={shouldRespond}
          onChange={setShouldRespond}
        />
      )}
    </OperationDialog>
  )
}

function SaveCallDialog({
  call,
  userMessages,
  onClose,
}: Omit<CallActionsProps, 'listener'> & Pick<CallDialogProps, 'onClose'>) {
  const t = useText()
  const {
    callId,
    agentId,
    agentVersion,
    service_dynamic_variables: initialVariables,
    overrideDynamicVariables: overrideVariables,
  } = call
  const agent = useRead('getAgent', { path: { agentId }, query: { version: String(agentVersion) } })
  if (agent.isPending) return null
  return (
    <SaveTestCaseDialog
      userMessages={userMessages}
      variables={{ ...initialVariables, ...overrideVariables }}
      // The engine of a deleted agent is unknown, so the user selects another engine.
      engine={agent.data === undefined ? NO_ENGINE : toTestedEngine(agent.data.response_engine)}
      description={t('Created from call {id}.', { id: callId })}
      onClose={onClose}
    />
  )
}
