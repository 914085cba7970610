import type { TestCase } from '@parley/contract/test-case'
import { useNavigate } from '@tanstack/react-router'
import { complain, tell } from '../../components/toasts.tsx'
import { inWorkspace, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { bodyOf, draftOf } from './test-case-draft.ts'

const MAX_NAME_LENGTH = 200

/** Makes another test case that says the same, and opens it. */
export function useDuplicateTestCase(): (testCase: TestCase) => Promise<void> {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createTestCase', { refreshes: ['listTestCases'] })
  return async (testCase) => {
    const name = t('{name} (copy)', { name: testCase.name }).slice(0, MAX_NAME_LENGTH)
    try {
      const newest = await newestVersion(testCase, workspaceId)
      // An older version than the newest was named; the newest one is most likely followed.
      const version = testCase.version === newest ? 'newest' : testCase.version
      const { value } = await create.mutateAsync({ body: { ...bodyOf({ ...draftOf(testCase), version }), name } })
      tell(t('The test case is duplicated.'))
      await navigate({
        to: '/$workspaceId/test-cases/$testCaseId',
        params: { workspaceId, testCaseId: value.test_case_definition_id },
      })
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
  }
}

async function newestVersion({ llm_id: llmId, conversation_flow_id: flowId }: TestCase, workspaceId: number) {
  if (llmId !== null) {
    const parts = inWorkspace('getLlm', { path: { llmId } }, workspaceId)
    return (await request('getLlm', parts)).value.version
  }
  const parts = inWorkspace('getConversationFlow', { path: { conversationFlowId: flowId ?? '' } }, workspaceId)
  return (await request('getConversationFlow', parts)).value.version
}
