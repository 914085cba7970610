import { useParams } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { useAnswer } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { BackToTestCases } from './back-to-test-cases.tsx'
import { TestCaseEditor } from './test-case-editor.tsx'

/** One test case, to be looked at and edited. */
export function TestCaseScreen() {
  const t = useText()
  const { testCaseId = '' } = useParams({ strict: false })
  const testCase = useAnswer('getTestCase', { path: { testCaseDefinitionId: testCaseId } })
  const { data } = testCase
  if (data !== undefined) return <TestCaseEditor key={testCaseId} testCaseId={testCaseId} answer={data} />
  return (
    <Page title={t('Test case')} above={<BackToTestCases />}>
      <Reading of={testCase} lines={8}>
        {() => null}
      </Reading>
    </Page>
  )
}
