import type { TestCase } from '@parley/contract/test-case'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { notify, notifyError } from '../../components/toasts.tsx'
import { addWorkspace, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { toTestCaseBody, toTestCaseDraft } from './test-case-draft.ts'

interface DeleteTestCaseDialogProps {
  readonly testCase: Pick<TestCase, 'test_case_definition_id' | 'name'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

export function DeleteTestCaseDialog({ testCase, onClose, onDeleted }: DeleteTestCaseDialogProps) {
  const t = useText()
  return (
    <ConfirmDialog
      operation="deleteTestCase"
      params={{ path: { testCaseDefinitionId: testCase.test_case_definition_id } }}
      invalidates={['listTestCases']}
      title={t('Delete test case?')}
      description={t('This deletes the test case permanently. Its prompt or flow is kept.')}
      name={testCase.name}
      label={t('Delete test case')}
      successMessage={t('Test case deleted')}
      onClose={onClose}
      {...(onDeleted && { onSuccess: onDeleted })}
    />
  )
}

const MAX_NAME_LENGTH = 200

export function useDuplicateTestCase(): (testCase: TestCase) => Promise<void> {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const createTestCase = useWrite('createTestCase', { invalidates: ['listTestCases'] })
  return async (testCase) => {
    const name = t('{name} (copy)', { name: testCase.name }).slice(0, MAX_NAME_LENGTH)
    try {
      const latestVersion = await getLatestVersion(testCase, workspaceId)
      // Responses do not include whether a version is pinned. Only an older version is certainly pinned.
      const version = testCase.version === latestVersion ? 'latest' : testCase.version
      const { value } = await createTestCase.mutateAsync({
        body: { ...toTestCaseBody({ ...toTestCaseDraft(testCase), version }), name },
      })
      notify(t('Test case duplicated'))
      await navigate({
        to: '/$workspaceId/test-cases/$testCaseId',
        params: { workspaceId, testCaseId: value.test_case_definition_id },
      })
    } catch (error) {
      notifyError(error instanceof Error ? error.message : String(error))
    }
  }
}

async function getLatestVersion({ llm_id: llmId, conversation_flow_id: flowId }: TestCase, workspaceId: number) {
  if (llmId !== null) {
    const params = addWorkspace('getLlm', { path: { llmId } }, workspaceId)
    return (await request('getLlm', params)).value.version
  }
  const flowParams = addWorkspace('getConversationFlow', { path: { conversationFlowId: flowId ?? '' } }, workspaceId)
  return (await request('getConversationFlow', flowParams)).value.version
}
