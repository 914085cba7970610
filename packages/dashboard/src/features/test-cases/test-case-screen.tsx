import type { TestCase } from '@parley/contract/test-case'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Copy, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { BackToList } from '../../components/back-link.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { notify } from '../../components/toasts.tsx'
import { addWorkspace, refresh, useResponse } from '../../lib/api/hooks.ts'
import { type ApiResponse, request } from '../../lib/api/request.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { useDraftSaver } from '../../lib/editing/save.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { DeleteTestCaseDialog, useDuplicateTestCase } from './test-case-actions.tsx'
import { type TestCaseDraft, toTestCaseBody, toTestCaseDraft } from './test-case-draft.ts'
import { TestCaseForm } from './test-case-form.tsx'

export function TestCaseScreen() {
  const t = useText()
  const { testCaseId = '' } = useParams({ strict: false })
  const testCase = useResponse('getTestCase', { path: { testCaseDefinitionId: testCaseId } })
  return (
    <RecordScreen title={t('Test case')} backLink={<BackToTestCases />} query={testCase}>
      {(response) => <TestCaseEditor key={testCaseId} testCaseId={testCaseId} response={response} />}
    </RecordScreen>
  )
}

function BackToTestCases() {
  const t = useText()
  return <BackToList to="/$workspaceId/test-cases">{t('Test cases')}</BackToList>
}

const FIELD_NAMES = {
  name: message('Name'),
  description: message('Description'),
  engine: message('Target'),
  version: message('Version'),
  user_prompt: message('Simulated user'),
  metrics: message('Success criteria'),
  dynamic_variables: message('Variables'),
  tool_mocks: message('Tool mocks'),
  llm_model: message('User model'),
  max_turns: message('Max turns'),
} satisfies Readonly<Record<keyof TestCaseDraft, string>>

function TestCaseEditor({
  testCaseId,
  response,
}: {
  readonly testCaseId: string
  readonly response: ApiResponse<TestCase>
}) {
  const t = useText()
  const canEdit = useCan()('updateTestCase')
  const { draft, saver } = useTestCaseDraft(testCaseId, response)
  return (
    <Page
      title={response.value.name}
      backLink={<BackToTestCases />}
      titleExtra={<CopyText text={testCaseId} />}
      description={t('Test cases cannot be run yet.')}
      actions={
        <>
          <TestCaseActions testCase={response.value} />
          {canEdit && <DraftBar draft={draft} saver={saver} />}
        </>
      }
    >
      <DraftFields
        draft={draft}
        saver={saver}
        getFieldName={(field) => (field in FIELD_NAMES ? t(FIELD_NAMES[field as keyof TestCaseDraft]) : field)}
      >
        <TestCaseForm storedTestCase={response.value} value={draft.value} onChange={draft.set} disabled={!canEdit} />
      </DraftFields>
    </Page>
  )
}

function TestCaseActions({ testCase }: { readonly testCase: TestCase }) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const duplicate = useDuplicateTestCase()
  const [isDeleting, setIsDeleting] = useState(false)
  return (
    <>
      <RowMenu
        items={[
          can('createTestCase') && { label: t('Duplicate'), icon: Copy, onSelect: () => void duplicate(testCase) },
          can('deleteTestCase') && {
            label: t('Delete…'),
            icon: Trash2,
            kind: 'danger',
            onSelect: () => setIsDeleting(true),
          },
        ]}
      />
      {isDeleting && (
        <DeleteTestCaseDialog
          testCase={testCase}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => void navigate({ to: '/$workspaceId/test-cases', params: { workspaceId } })}
        />
      )}
    </>
  )
}

function useTestCaseDraft(testCaseId: string, response: ApiResponse<TestCase>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const path = { testCaseDefinitionId: testCaseId }
  const latestSnapshot = useMemo(() => toSnapshot(response), [response])
  const draft = useDraft<TestCaseDraft>(`test-case.${testCaseId}`, latestSnapshot)
  const saver = useDraftSaver(draft, {
    async write(edits, etag) {
      const params = addWorkspace('updateTestCase', { path, body: toTestCaseBody(edits) }, workspaceId)
      const snapshot = toSnapshot(await request('updateTestCase', params, { ifMatch: etag }))
      await refresh(client, ['getTestCase', 'listTestCases'])
      notify(t('Test case saved'))
      return snapshot
    },
    async read() {
      return toSnapshot(await request('getTestCase', addWorkspace('getTestCase', { path }, workspaceId)))
    },
  })
  return { draft, saver }
}

function toSnapshot({ value, etag }: ApiResponse<TestCase>): Snapshot<TestCaseDraft> {
  return { value: toTestCaseDraft(value), etag }
}
