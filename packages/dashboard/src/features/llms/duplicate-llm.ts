import { complain, tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { llmFields } from '../../parts/agent/agent-body.ts'

const MAX_NAME_LENGTH = 200

/** Makes another configuration of the newest version of one; resolves with its id, or null when it failed. */
export function useDuplicateLlm(): (llmId: string) => Promise<string | null> {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createLlm', { refreshes: ['listLlms'] })
  return async (llmId) => {
    try {
      const { value: llm } = await request('getLlm', inWorkspace('getLlm', { path: { llmId } }, workspaceId))
      const name = t('{name} (copy)', { name: llm.display_name }).slice(0, MAX_NAME_LENGTH)
      const { value } = await create.mutateAsync({
        body: { ...llmFields(llm), display_name: name, secrets_from: llmId },
      })
      tellWithWarnings(t('The LLM configuration is duplicated.'), value.warnings)
      return value.llm_id
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
      return null
    }
  }
}
