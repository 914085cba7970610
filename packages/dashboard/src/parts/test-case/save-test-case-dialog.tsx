import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../components/dialog.tsx'
import { FieldProblems } from '../../components/field.tsx'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { objectOf, PairsField, pairsOf } from '../../components/strings-field.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type Engine, engineBody } from './engine.ts'
import { EngineField } from './engine-field.tsx'
import { nameOf, setVariablesOf, userPromptOf } from './from-conversation.ts'

export interface SaveTestCaseDialogProps {
  /** What the customer said, in its order. */
  readonly said: readonly string[]
  /** Values of `{{variables}}` that the conversation was given; null: none. */
  readonly variables: Readonly<Record<string, string | null>>
  /** What answered; nothing is chosen where that cannot be tested, or is gone. */
  readonly engine: Engine
  /** Where the conversation stands, for people. */
  readonly description: string
  readonly onClose: () => void
}

const INSTRUCTION = message(
  'You are the customer in a conversation with an agent. Say what follows, in this order and in your own words, as far as the answers allow it.',
)

/** Makes a test case of a conversation, and opens it. */
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
    tell(t('The test case is made. Say now what must hold in it.'))
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
      description={t('A simulated user will say what the customer said. What must hold is written afterwards.')}
      submitLabel={t('Create test case')}
      isBusy={create.isPending}
      canSubmit={name.trim() !== '' && engine.id !== null}
      problem={create.error}
      onSubmit={() => void submit().catch(() => undefined)}
    >
      <FieldProblems details={create.error?.details ?? []}>
        <TextField label={t('Name')} name="name" value={name} onChange={setName} maxLength={200} />
        <TextAreaField
          label={t('Who the simulated user is')}
          name="user_prompt"
          rows={8}
          value={prompt}
          onChange={setPrompt}
        />
        <EngineField value={engine} onChange={setEngine} />
        <PairsField
          label={t('Variables')}
          name="dynamic_variables"
          addLabel={t('Add a variable')}
          value={variables}
          onChange={setVariables}
        />
      </FieldProblems>
    </FormDialog>
  )
}
