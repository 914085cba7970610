import type { TestCase } from '@parley/contract/test-case'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Page } from '../../components/page.tsx'
import type { Answer } from '../../lib/api/request.ts'
import { message, useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { BackToTestCases } from './back-to-test-cases.tsx'
import { DeleteTestCaseDialog } from './delete-test-case-dialog.tsx'
import { useDuplicateTestCase } from './duplicate-test-case.ts'
import type { TestCaseDraft } from './test-case-draft.ts'
import { TestCaseForm } from './test-case-form.tsx'
import { useTestCaseEditor } from './use-test-case-editor.ts'

const FIELD_NAMES = {
  name: message('Name'),
  description: message('Description'),
  engine: message('Engine'),
  version: message('Version of the engine'),
  user_prompt: message('Who the simulated user is'),
  metrics: message('What must hold'),
  dynamic_variables: message('Variables'),
  tool_mocks: message('Replaced tools'),
  llm_model: message('Model that plays the user'),
  max_turns: message('Turns at most'),
} satisfies Readonly<Record<keyof TestCaseDraft, string>>

/** A test case with its edits. */
export function TestCaseEditor({
  testCaseId,
  answer,
}: {
  readonly testCaseId: string
  readonly answer: Answer<TestCase>
}) {
  const t = useText()
  const isAllowed = useMay()('updateTestCase')
  const { draft, saving } = useTestCaseEditor(testCaseId, answer)
  return (
    <Page
      title={answer.value.name}
      above={<BackToTestCases />}
      beside={<CopyText text={testCaseId} />}
      description={t('Running test cases comes later; this one is kept until then.')}
      actions={
        <>
          <TestCaseActions testCase={answer.value} />
          {isAllowed && <DraftBar draft={draft} saving={saving} />}
        </>
      }
    >
      <DraftFields
        draft={draft}
        saving={saving}
        nameOf={(field) => (field in FIELD_NAMES ? t(FIELD_NAMES[field as keyof TestCaseDraft]) : field)}
      >
        <TestCaseForm stored={answer.value} value={draft.value} onChange={draft.set} disabled={!isAllowed} />
      </DraftFields>
    </Page>
  )
}

function TestCaseActions({ testCase }: { readonly testCase: TestCase }) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const duplicate = useDuplicateTestCase()
  const [isDeleting, setIsDeleting] = useState(false)
  const items: readonly MenuItem[] = [
    ...(may('createTestCase') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void duplicate(testCase) }] : []),
    ...(may('deleteTestCase')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => setIsDeleting(true) }]
      : []),
  ]
  if (items.length === 0) return null
  return (
    <>
      <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('More actions')} />} />
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
