import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useState } from 'react'
import { FormDialog } from '../../../components/dialog.tsx'
import { CONTROL_CLASS, Field, FieldProblems } from '../../../components/field.tsx'
import { TextAreaField, TextField } from '../../../components/fields.tsx'
import { RecordField } from '../../../components/record-field.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import { notifyError, notifyWithWarnings } from '../../../components/toasts.tsx'
import { refresh } from '../../../lib/api/hooks.ts'
import type { Problem } from '../../../lib/api/problem.ts'
import { request } from '../../../lib/api/request.ts'
import { message, useLanguage, useText } from '../../../lib/language.ts'
import { useWorkspaceId } from '../../../lib/workspace.ts'
import { useChoices } from '../../choices/choices.ts'
import { AGENT_LABELS } from '../agent-actions.tsx'
import type { AgentApi, AgentFile, AgentKind, AnyAgent, FileError, NewAgent, WithWarnings } from '../agent-api.ts'
import { readAgentFile } from '../agent-file.ts'
import { FIELD_GRID } from '../settings/agent-part.ts'
import { LanguageField } from '../settings/language-field.tsx'
import {
  buildAgentInput,
  type CreateAgentInput,
  type CreateMethod,
  createAgentWithEngine,
  createEmptyForm,
  isFormComplete,
  type NewAgentForm,
} from './create-agent.ts'
import { TEMPLATES } from './templates.ts'

/** The default language of a new agent for each dashboard language. */
const DEFAULT_LANGUAGES = { en: 'en-US', de: 'de-DE' } as const

export interface NewAgentDialogProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  /** Adds required settings that are not in the form. Null while they load. */
  readonly addRequiredSettings: ((settings: NewAgent<Value>) => NewAgent<Value>) | null
  readonly problem?: Problem | null
  readonly onClose: () => void
  readonly onCreated: (agentId: string) => void
}

/** Creates an agent from a prompt, a flow, a custom LLM server, or a file. */
export function NewAgentDialog<Value extends AnyAgent>({
  api,
  addRequiredSettings,
  problem = null,
  onClose,
  onCreated,
}: NewAgentDialogProps<Value>) {
  const t = useText()
  const language = DEFAULT_LANGUAGES[useLanguage()]
  const [form, setForm] = useState(() => createEmptyForm<Value>(language))
  const updateForm = (changes: Partial<NewAgentForm<Value>>): void => setForm((current) => ({ ...current, ...changes }))
  const createAgent = useCreateAgent(api)
  const displayedProblem = createAgent.error ?? problem
  const formProps = { form, onChange: updateForm }
  return (
    <FormDialog
      open
      size="wide"
      onOpenChange={onClose}
      title={t(AGENT_LABELS[api.kind].create)}
      submitLabel={t(AGENT_LABELS[api.kind].createButton)}
      isBusy={createAgent.isPending}
      canSubmit={addRequiredSettings !== null && isFormComplete(form)}
      problem={displayedProblem}
      onSubmit={() => {
        if (addRequiredSettings === null) return
        const input = buildAgentInput(form)
        createAgent.mutate(
          { ...input, agent: addRequiredSettings(input.agent) },
          {
            onSuccess: (agentId) => {
              onClose()
              onCreated(agentId)
            },
          },
        )
      }}
    >
      <FieldProblems details={displayedProblem?.details ?? []}>
        <Tabs<CreateMethod>
          label={t('Response engine')}
          value={form.method}
          onChange={(method) => {
            createAgent.reset()
            updateForm({ method })
          }}
          tabs={[
            { name: 'prompt', label: t('Prompt'), content: <PromptForm {...formProps} /> },
            { name: 'flow', label: t('Conversation flow'), content: <FlowForm {...formProps} /> },
            { name: 'custom', label: t('Custom LLM'), content: <CustomLlmForm {...formProps} /> },
            { name: 'import', label: t('Import JSON'), content: <ImportForm {...formProps} kind={api.kind} /> },
          ]}
        />
      </FieldProblems>
    </FormDialog>
  )
}

function useCreateAgent<Value extends AnyAgent>(api: AgentApi<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return useMutation<string, Problem, CreateAgentInput<Value>>({
    mutationFn: async (input) => {
      const createdAgent = await createAgentWithEngine<Value, WithWarnings<Value>>(
        {
          createLlm: async (fields) => (await request('createLlm', { body: { workspaceId, ...fields } })).value,
          deleteLlm: (llmId) => request('deleteLlm', { path: { llmId }, query: { workspaceId } }),
          createFlow: async (fields) =>
            (await request('createConversationFlow', { body: { workspaceId, ...fields } })).value,
          deleteFlow: (flowId) =>
            request('deleteConversationFlow', { path: { conversationFlowId: flowId }, query: { workspaceId } }),
          createAgent: async (settings) => (await api.create(workspaceId, settings)).value,
          onOrphanedRecord: ({ kind, id }) =>
            notifyError(
              kind === 'llm'
                ? t('The unused prompt {id} could not be deleted. Delete it under “Prompts”.', { id })
                : t('The unused flow {id} could not be deleted. Delete it under “Conversation flows”.', { id }),
            ),
        },
        input,
      )
      notifyWithWarnings(t(AGENT_LABELS[api.kind].created), createdAgent.warnings)
      return createdAgent.agent_id
    },
    onSettled: () => refresh(client, [api.operations.list, 'listLlms', 'listConversationFlows']),
  })
}

interface MethodFormProps<Value extends AnyAgent> {
  readonly form: NewAgentForm<Value>
  readonly onChange: (changes: Partial<NewAgentForm<Value>>) => void
}

const COLUMN_CLASS = 'flex min-w-0 flex-col gap-4'

function NameAndLanguageFields<Value extends AnyAgent>({ form, onChange }: MethodFormProps<Value>) {
  const t = useText()
  return (
    <div className={FIELD_GRID}>
      <TextField
        label={t('Name')}
        name="agent_name"
        maxLength={200}
        autoFocus
        value={form.name}
        onChange={(name) => onChange({ name })}
      />
      <LanguageField value={form.language} onChange={(language) => onChange({ language })} />
    </div>
  )
}

function PromptForm<Value extends AnyAgent>({ form, onChange }: MethodFormProps<Value>) {
  const t = useText()
  return (
    <div className={COLUMN_CLASS}>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 font-medium">{t('Start with')}</legend>
        <div className="grid gap-2 sm:grid-cols-3">
          {TEMPLATES.map(({ key, name, description, prompt, beginMessage }) => {
            const isSelected = form.prompt === t(prompt)
            return (
              <button
                key={key}
                type="button"
                aria-pressed={isSelected}
                onClick={() =>
                  onChange({
                    prompt: t(prompt),
                    beginMessage: t(beginMessage),
                    ...(form.name === '' && { name: t(name) }),
                  })
                }
                className={clsx(
                  'flex flex-col gap-1 rounded-md border p-3 text-start hover:bg-sunken',
                  isSelected ? 'border-brand-text' : 'border-line-strong',
                )}
              >
                <span className="font-medium">{t(name)}</span>
                <span className="text-muted">{t(description)}</span>
              </button>
            )
          })}
        </div>
      </fieldset>
      <NameAndLanguageFields form={form} onChange={onChange} />
      <TextAreaField
        label={t('Instructions')}
        help={t('Describe who the agent is, what it knows and how it speaks. You can change this later.')}
        name="general_prompt"
        rows={8}
        value={form.prompt}
        onChange={(prompt) => onChange({ prompt })}
      />
      <TextField
        label={t('Opening message')}
        name="begin_message"
        isOptional
        value={form.beginMessage}
        onChange={(beginMessage) => onChange({ beginMessage })}
      />
    </div>
  )
}

function FlowForm<Value extends AnyAgent>({ form, onChange }: MethodFormProps<Value>) {
  const t = useText()
  const { choices, isLoading } = useChoices('flows')
  return (
    <div className={COLUMN_CLASS}>
      <NameAndLanguageFields form={form} onChange={onChange} />
      <RecordField
        label={t('Conversation flow')}
        name="response_engine.conversation_flow_id"
        help={t('Create flows under “Conversation flows”.')}
        isLoading={isLoading}
        value={form.flowId}
        choices={choices}
        onChange={(id) => onChange({ flowId: id ?? '' })}
      />
    </div>
  )
}

function CustomLlmForm<Value extends AnyAgent>({ form, onChange }: MethodFormProps<Value>) {
  const t = useText()
  return (
    <div className={COLUMN_CLASS}>
      <NameAndLanguageFields form={form} onChange={onChange} />
      <TextField
        label={t('Server URL')}
        name="response_engine.llm_websocket_url"
        help={t('A WebSocket URL that starts with wss:// or ws://.')}
        type="url"
        spellCheck={false}
        value={form.url}
        onChange={(url) => onChange({ url })}
      />
    </div>
  )
}

const FILE_ERRORS: Readonly<Record<FileError, string>> = {
  'invalid-json': message('This file is not valid JSON. Choose an exported agent.'),
  'no-agent': message('This file is not an agent exported from this platform or from Retell. Choose another file.'),
  'wrong-kind': message(
    'This file contains the other kind of agent. Import agents under “Agents” and chat agents under “Chat agents”.',
  ),
  'no-engine': message('This file has no response_engine field. Choose an exported agent.'),
  'no-llm': message('This file has no prompt. Export the agent again.'),
  'no-vendor-llm': message('This file has no prompt (retellLlmData). Export the agent from the Retell dashboard.'),
  'no-vendor-flow': message('This file has no flow (conversationFlow). Export the agent from the Retell dashboard.'),
}

function ImportForm<Value extends AnyAgent>({
  form,
  onChange,
  kind,
}: MethodFormProps<Value> & { readonly kind: AgentKind }) {
  const t = useText()
  const [fileError, setFileError] = useState<FileError | null>(null)
  const readFile = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    // A file that was deleted after selection is read as empty.
    const result = readAgentFile<Value>(kind, await file.text().catch(() => ''))
    setFileError(result.error)
    onChange({ file: result.file })
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Field
        label={t('File')}
        help={t('An agent exported from this dashboard or from the Retell dashboard.')}
        error={fileError && t(FILE_ERRORS[fileError])}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept="application/json,.json"
            className={CONTROL_CLASS}
            onChange={(event) => void readFile(event.target.files?.[0])}
          />
        )}
      </Field>
      {form.file && <ImportSummary file={form.file} />}
    </div>
  )
}

function ImportSummary<Value extends AnyAgent>({
  file: { agent, llm, flow, omittedPaths },
}: {
  readonly file: AgentFile<Value>
}) {
  const t = useText()
  const name = agent.agent_name || t('The agent')
  return (
    <div role="status" className="flex min-w-0 flex-col gap-3">
      <p dir="auto" className="break-words">
        {llm
          ? t('{name} will be imported with its prompt.', { name })
          : flow
            ? t('{name} will be imported with its conversation flow.', { name })
            : 'llm_websocket_url' in agent.response_engine
              ? t('{name} will be imported.', { name })
              : t('{name} will be imported. Its prompt or flow must exist in this workspace.', { name })}
      </p>
      {omittedPaths.length > 0 && (
        <section
          aria-label={t('Skipped settings')}
          className="flex min-w-0 flex-col gap-2 rounded-md bg-warn-soft p-3 text-warn"
        >
          <p>
            {t('{count, plural, one {# setting is} other {# settings are}} not supported and will be skipped:', {
              count: omittedPaths.length,
            })}
          </p>
          <ul className="grid gap-x-5 gap-y-1 sm:grid-cols-2">
            {omittedPaths.map((path) => (
              <li key={path} dir="auto" className="min-w-0 font-mono text-xs wrap-anywhere">
                {path}
              </li>
            ))}
          </ul>
          <p>{t('Voices, knowledge bases and other agents are not imported. Choose them after the import.')}</p>
        </section>
      )}
    </div>
  )
}
