import { useNavigate } from '@tanstack/react-router'
import { ClipboardCheck, MessageSquareOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { ValueOf } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { NO_ENGINE } from '../../parts/test-case/engine.ts'
import { SaveTestCaseDialog } from '../../parts/test-case/save-test-case-dialog.tsx'

interface ChatActionsProps {
  readonly chat: ValueOf<'getChat'>
  /** What the customer wrote, in its order. */
  readonly said: readonly string[]
}

/** What can be done with a chat, by those who may. */
export function ChatActions({ chat, said }: ChatActionsProps) {
  const t = useText()
  const may = useMay()
  const [open, setOpen] = useState<'end' | 'save' | 'delete' | null>(null)
  const close = (): void => setOpen(null)
  const { chatId, status } = chat
  return (
    <>
      {status === 'ongoing' && may('endChat') && (
        <Button icon={MessageSquareOff} onClick={() => setOpen('end')}>
          {t('End chat')}
        </Button>
      )}
      {may('createTestCase') && said.length > 0 && (
        <Button icon={ClipboardCheck} onClick={() => setOpen('save')}>
          {t('Save as test case …')}
        </Button>
      )}
      {may('deleteChat') && (
        <Button icon={Trash2} onClick={() => setOpen('delete')}>
          {t('Delete …')}
        </Button>
      )}
      {open === 'end' && <EndChatDialog chatId={chatId} onClose={close} />}
      {open === 'save' && <SaveChatDialog chat={chat} said={said} onClose={close} />}
      {open === 'delete' && <DeleteChatDialog chatId={chatId} onClose={close} />}
    </>
  )
}

function SaveChatDialog({ chat, said, onClose }: ChatActionsProps & { readonly onClose: () => void }) {
  const t = useText()
  const { chatId, responseEngine, service_dynamic_variables: given, overrideDynamicVariables: set } = chat
  const { type, id } = responseEngine
  return (
    <SaveTestCaseDialog
      said={said}
      variables={{ ...given, ...set }}
      // A server of one's own cannot be tested: another engine is chosen.
      engine={type === 'custom-llm' ? NO_ENGINE : { kind: type, id }}
      description={t('Made of the chat {id}.', { id: chatId })}
      onClose={onClose}
    />
  )
}

interface ChatDialogProps {
  readonly chatId: string
  readonly onClose: () => void
}

function EndChatDialog({ chatId, onClose }: ChatDialogProps) {
  const t = useText()
  const end = useWrite('endChat', { refreshes: ['getChat', 'listChats'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('End the chat?')}
      consequence={t('Nobody can write in it any more. It stays on record.')}
      label={t('End chat')}
      isBusy={end.isPending}
      problem={end.error}
      onDelete={() =>
        end.mutate(
          { path: { chatId }, body: {} },
          {
            onSuccess: () => {
              tell(t('The chat is ended.'))
              onClose()
            },
          },
        )
      }
    />
  )
}

function DeleteChatDialog({ chatId, onClose }: ChatDialogProps) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const remove = useWrite('deleteChat', { refreshes: ['listChats'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the chat?')}
      consequence={t('Its messages and everything else that is kept of it go for good.')}
      name={chatId}
      label={t('Delete chat')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { chatId } },
          {
            onSuccess: () => {
              tell(t('The chat is deleted.'))
              void navigate({ to: '/$workspaceId/chats', params: { workspaceId }, replace: true })
            },
          },
        )
      }
    />
  )
}
