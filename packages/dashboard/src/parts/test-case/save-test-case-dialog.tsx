import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { TextAreaField, TextField } from '../../components/fields.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { PairsField, toObject, toPairs } from '../../components/strings-field.tsx'
import { message, useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { type Engine, toEngineBody } from './engine.ts'
import { EngineField } from './engine-field.tsx'
import { buildDefaultName, buildUserPrompt, pickSetVariables } from './from-conversation.ts'

export interface SaveTestCaseDialogProps {
  /** The user's messages in order. */
  readonly userMessages: readonly string[]
  readonly variables: Readonly<Record<string, string | null>>
  /** The conversation's prompt or flow, if it can be tested. */
  readonly engine: Engine
  readonly description: string
  readonly onClose: () => void
}

const OPENING_INSTRUCTION = message(
  'You are the customer in a conversation with an agent. Say the following in this order and in your own words, as far as the answers allow.',
)

/** Creates a test case from a conversation and opens it. */
export function SaveTestCaseDialog(props: SaveTestCaseDialogProps) {
  const { userMessages, description, onClose } = props
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [name, setName] = useState(() => buildDefaultName(userMessages))
  const [engine, setEngine] = useState(props.engine)
  const [variables, setVariables] = useState(() => toPairs(pickSetVariables(props.variables)))
  const [prompt, setPrompt] = useState(() => buildUserPrompt(t(OPENING_INSTRUCTION), userMessages))

  const testCase = { name, description, user_prompt: prompt, dynamic_variables: toObject(variables) }
  return (
    <OperationDialog
      operation="createTestCase"
      params={{ body: { ...testCase, ...toEngineBody(engine) } }}
      invalidates={['listTestCases']}
      size="wide"
      title={t('Save as test case')}
      description={t('A simulated user repeats the conversation. Add success criteria afterward.')}
      submitLabel={t('Create test case')}
      canSubmit={name.trim() !== '' && engine.id !== null}
      successMessage={t('Test case created. Add its success criteria.')}
      onSuccess={({ test_case_definition_id: testCaseId }) =>
        void navigate({ to: '/$workspaceId/test-cases/$testCaseId', params: { workspaceId, testCaseId } })
      }
      onClose={onClose}
    >
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
    </OperationDialog>
  )
}
