import type { TestCase } from '@parley/contract/test-case'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

export interface DeleteTestCaseDialogProps {
  readonly testCase: Pick<TestCase, 'test_case_definition_id' | 'name'>
  readonly onClose: () => void
  readonly onDeleted?: () => void
}

/** Asks before a test case goes. */
export function DeleteTestCaseDialog({ testCase, onClose, onDeleted }: DeleteTestCaseDialogProps) {
  const t = useText()
  const remove = useWrite('deleteTestCase', { refreshes: ['listTestCases'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Delete the test case?')}
      consequence={t('It goes for good. The engine that it tests stays.')}
      name={testCase.name}
      label={t('Delete test case')}
      isBusy={remove.isPending}
      problem={remove.error}
      onDelete={() =>
        remove.mutate(
          { path: { testCaseDefinitionId: testCase.test_case_definition_id } },
          {
            onSuccess: () => {
              tell(t('The test case is deleted.'))
              onClose()
              onDeleted?.()
            },
          },
        )
      }
    />
  )
}
