import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextField } from '../../components/fields.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type Engine, engineBody, NO_ENGINE } from '../../parts/test-case/engine.ts'
import { EngineField } from '../../parts/test-case/engine-field.tsx'

/** Makes a test case, and opens it. */
export function NewTestCaseDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createTestCase', { refreshes: ['listTestCases'] })
  const [name, setName] = useState('')
  const [engine, setEngine] = useState<Engine>(NO_ENGINE)
  const [ownId, setOwnId] = useState('')

  async function submit(): Promise<void> {
    const body = { name, ...engineBody(engine), ...(ownId !== '' && { test_case_definition_id: ownId }) }
    const { value } = await create.mutateAsync({ body })
    onClose()
    await navigate({
      to: '/$workspaceId/test-cases/$testCaseId',
      params: { workspaceId, testCaseId: value.test_case_definition_id },
    })
  }

  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('New test case')}
      submitLabel={t('Create test case')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== '' && engine.id !== null}
      problem={create.error}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="name" value={name} onChange={setName} maxLength={200} />
        <EngineField value={engine} onChange={setEngine} />
        <TextField
          label={t('Id of your own')}
          help={t('Up to 100 letters, digits, "_" or "-". One is made when this is empty.')}
          name="test_case_definition_id"
          isOptional
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          value={ownId}
          onChange={setOwnId}
        />
      </FieldProblems>
    </FormDialog>
  )
}
