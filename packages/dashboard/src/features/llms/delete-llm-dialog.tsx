import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { type LlmUser, useLlmUsers } from './use-llm-users.ts'
import { UserLink } from './user-links.tsx'
import { usersInProblem } from './users-in-problem.ts'

export interface DeleteLlmDialogProps {
  readonly llmId: string
  readonly name: string
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Asks before a configuration goes with all its versions. One that is used stays, and who uses it is told. */
export function DeleteLlmDialog({ llmId, name, onClose, onDeleted }: DeleteLlmDialogProps) {
  const t = useText()
  const users = useLlmUsers()
  const remove = useWrite('deleteLlm', { refreshes: ['listLlms'] })
  const isInUse = remove.error?.code === 'in_use'
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the LLM configuration?')}
      consequence={
        <>
          <p>{t('All its versions go for good. One that an agent uses cannot be deleted.')}</p>
          {isInUse && remove.error && (
            <InUse problem={remove.error} known={users === null ? [] : [...users.values()].flat()} />
          )}
        </>
      }
      name={name.trim() === '' ? llmId : name}
      label={t('Delete LLM configuration')}
      isBusy={remove.isPending}
      problem={isInUse ? null : remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { llmId } },
          {
            onSuccess: () => {
              tell(t('The LLM configuration is deleted.'))
              onClose()
              onDeleted?.()
            },
          },
        )
      }
    />
  )
}

function InUse({ problem, known }: { readonly problem: Problem; readonly known: readonly LlmUser[] }) {
  const t = useText()
  return (
    <div role="alert" className="mt-3 rounded-md bg-bad-soft px-3 py-2.5 text-bad">
      <p>{t('It is not deleted: it is in use. Give these agents another engine first, or delete them.')}</p>
      <ul className="mt-1 list-disc ps-4">
        {usersInProblem(problem, known).map((user) => (
          <li key={user.kind === null ? user.name : user.id}>
            {user.kind === null ? <bdi>{user.name}</bdi> : <UserLink user={user} />}
          </li>
        ))}
      </ul>
    </div>
  )
}
