import { complain, tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { llmFields } from '../../parts/agent/agent-body.ts'

const MAX_NAME = 200

/** Copies the newest version of a prompt; resolves with the id of the copy, or null when it failed. */
export function useDuplicateLlm(): (llmId: string) => Promise<string | null> {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createLlm', { refreshes: ['listLlms'] })
  return async (llmId) => {
    try {
      const { value: llm } = await request('getLlm', inWorkspace('getLlm', { path: { llmId } }, workspaceId))
      const name = t('{name} (copy)', { name: llm.display_name }).slice(0, MAX_NAME)
      const { value } = await create.mutateAsync({
        body: { ...llmFields(llm), display_name: name, secrets_from: llmId },
      })
      tellWithWarnings(t('Prompt duplicated'), value.warnings)
      return value.llm_id
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
      return null
    }
  }
}
