import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { objectOf, PairsField, pairsOf } from '../../components/strings-field.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type Engine, engineBody } from './engine.ts'
import { EngineField } from './engine-field.tsx'
import { nameOf, setVariablesOf, userPromptOf } from './from-conversation.ts'

export interface SaveTestCaseDialogProps {
  /** Messages of the user in order. */
  readonly said: readonly string[]
  readonly variables: Readonly<Record<string, string | null>>
  /** The prompt or flow of the conversation, where it can be tested. */
  readonly engine: Engine
  readonly description: string
  readonly onClose: () => void
}

const INSTRUCTION = message(
  'You are the customer in a conversation with an agent. Say the following in this order and in your own words, as far as the answers allow.',
)

/** Creates a test case from a conversation and opens it. */
export function SaveTestCaseDialog(props: SaveTestCaseDialogProps) {
  const { said, description, onClose } = props
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createTestCase', { refreshes: ['listTestCases'] })
  const [name, setName] = useState(() => nameOf(said))
  const [engine, setEngine] = useState(props.engine)
  const [variables, setVariables] = useState(() => pairsOf(setVariablesOf(props.variables)))
  const [prompt, setPrompt] = useState(() => userPromptOf(t(INSTRUCTION), said))

  async function submit(): Promise<void> {
    const written = { name, description, user_prompt: prompt, dynamic_variables: objectOf(variables) }
    const { value } = await create.mutateAsync({ body: { ...written, ...engineBody(engine) } })
    notify(t('Test case created. Add its success criteria.'))
    onClose()
    await navigate({
      to: '/$workspaceId/test-cases/$testCaseId',
      params: { workspaceId, testCaseId: value.test_case_definition_id },
    })
  }

  return (
    <FormDialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t('Save as test case')}
      description={t('A simulated user repeats the conversation. Add success criteria afterwards.')}
      submitLabel={t('Create test case')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== '' && engine.id !== null}
      problem={create.error}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="name" value={name} onChange={setName} maxLength={200} />
        <TextAreaField label={t('Simulated user')} name="user_prompt" rows={8} value={prompt} onChange={setPrompt} />
        <EngineField value={engine} onChange={setEngine} />
        <PairsField
          label={t('Variables')}
          name="dynamic_variables"
          addLabel={t('Add variable')}
          value={variables}
          onChange={setVariables}
        />
      </FieldProblems>
    </FormDialog>
  )
}
