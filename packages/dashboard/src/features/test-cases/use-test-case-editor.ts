import type { TestCase } from '@parley/contract/test-case'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { tell } from '../../components/toasts.tsx'
import { inWorkspace, refresh } from '../../lib/api/hooks.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type Saving, useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { bodyOf, draftOf, type TestCaseDraft } from './test-case-draft.ts'

export interface TestCaseEditing {
  readonly draft: Draft<TestCaseDraft>
  readonly saving: Saving<TestCaseDraft>
}

/** The edits of a test case, and how they get to the server and back. */
export function useTestCaseEditor(testCaseId: string, answer: Answer<TestCase>): TestCaseEditing {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const path = { testCaseDefinitionId: testCaseId }
  const newest = useMemo(() => snapshotOf(answer), [answer])
  const draft = useDraft<TestCaseDraft>(`test-case.${testCaseId}`, newest)
  const saving = useSaving(draft, {
    async write(edits, etag) {
      const parts = inWorkspace('updateTestCase', { path, body: bodyOf(edits) }, workspaceId)
      const saved = snapshotOf(await request('updateTestCase', parts, { ifMatch: etag }))
      await refresh(client, ['getTestCase', 'listTestCases'])
      tell(t('The test case is saved.'))
      return saved
    },
    async read() {
      return snapshotOf(await request('getTestCase', inWorkspace('getTestCase', { path }, workspaceId)))
    },
  })
  return { draft, saving }
}

function snapshotOf({ value, etag }: Answer<TestCase>): Snapshot<TestCaseDraft> {
  return { value: draftOf(value), etag }
}
