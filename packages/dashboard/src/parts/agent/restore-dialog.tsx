import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../components/dialog.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type AgentApi, type AnyAgent, refreshedBy } from './agent-kind.ts'

/** Asks before the settings of an older version become the newest ones again. */
export function RestoreDialog<Value extends AnyAgent>({
  api,
  agentId,
  version,
  onClose,
}: {
  readonly api: AgentApi<Value>
  readonly agentId: string
  readonly version: number
  readonly onClose: () => void
}) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const target = { workspaceId, agentId }
  const restore = useMutation<readonly string[], Problem>({
    mutationFn: async () => {
      const [older, newest] = await Promise.all([api.read(target, version), api.read(target, 'latest')])
      // The engine with the version that it had then: its prompt is a part of what is restored.
      return (await api.update(target, older.value, newest.etag)).value.warnings
    },
    onSuccess: async (warnings) => {
      tellWithWarnings(t('The settings of version {version} are in the newest version now.', { version }), warnings)
      await refresh(client, refreshedBy(api.operations))
      onClose()
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Restore version {version}?', { version })}
      description={t(
        'Its settings go into the newest version, or into a new one where that was used or published. Nothing is lost: the versions between stay. It answers with the version of its prompt or flow that it had then.',
      )}
      submitLabel={t('Restore')}
      isBusy={restore.isPending}
      problem={restore.error}
      onSubmit={() => restore.mutate()}
    />
  )
}
