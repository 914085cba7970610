import { useNavigate } from '@tanstack/react-router'
import { MessageSquareOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { ValueOf } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

/** What can be done with a chat, by those who may. */
export function ChatActions({ chat: { chatId, status } }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const may = useMay()
  const [open, setOpen] = useState<'end' | 'delete' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <>
      {status === 'ongoing' && may('endChat') && (
        <Button icon={MessageSquareOff} onClick={() => setOpen('end')}>
          {t('End chat')}
        </Button>
      )}
      {may('deleteChat') && (
        <Button icon={Trash2} onClick={() => setOpen('delete')}>
          {t('Delete …')}
        </Button>
      )}
      {open === 'end' && <EndChatDialog chatId={chatId} onClose={close} />}
      {open === 'delete' && <DeleteChatDialog chatId={chatId} onClose={close} />}
    </>
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
