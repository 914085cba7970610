import type { CustomTool } from '@parley/contract/tools'
import { type ReactNode, useId } from 'react'
import { TextField } from '../../components/fields.tsx'
import { CodeField } from '../../components/json-editor.tsx'
import { useText } from '../../lib/language.ts'
import { FormGroup, ToolJson, ToolNumber, ToolPairs, ToolSelect, ToolSwitch, ToolText } from './bound-fields.tsx'
import { useToolField } from './tool-draft.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly CustomTool['method'][]
const MS_PER_S = 1_000
const EXAMPLE_URL = 'https://api.example.com/orders/{{order}}'

export function HttpForm() {
  const t = useText()
  return (
    <>
      <FormGroup title={t('Request')}>
        <div className="grid gap-4 sm:grid-cols-[10rem_1fr]">
          <ToolSelect
            path="method"
            label={t('Method')}
            unsetLabel={t('{value} (default)', { value: 'POST' })}
            choices={METHODS.map((method) => ({ value: method, label: method }))}
          />
          <ToolText path="url" label={t('URL')} placeholder={EXAMPLE_URL} />
        </div>
        <ToolPairs
          path="headers"
          label={t('Headers')}
          help={t('Values can contain {example}.', { example: '{{variables}}' })}
          addLabel={t('Add header')}
        />
        <ToolPairs
          path="query_params"
          label={t('Query parameters')}
          help={t('Values can contain {example}.', { example: '{{variables}}' })}
          addLabel={t('Add parameter')}
        />
        <ToolSwitch
          path="args_at_root"
          label={t('Send arguments only')}
          help={t('If off, the tool name and the conversation are sent as well.')}
        />
      </FormGroup>
      <FormGroup title={t('Arguments')}>
        <ToolJson
          path="parameters"
          label={t('Parameters (JSON Schema)')}
          help={t('Describe each property so that the model fills it in correctly.')}
        />
      </FormGroup>
      <ResultFields>
        <TimeoutAndRetryFields />
      </ResultFields>
    </>
  )
}

function TimeoutAndRetryFields() {
  const t = useText()
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ToolNumber
        path="timeout_ms"
        label={t('Timeout')}
        unit="s"
        scale={MS_PER_S}
        minimum={1}
        maximum={600}
        placeholder="120"
      />
      <ToolNumber path="max_retry" label={t('Retries')} minimum={0} maximum={5} placeholder="0" />
    </div>
  )
}

function ResultFields({ children }: { readonly children?: ReactNode }) {
  const t = useText()
  return (
    <FormGroup title={t('Result')}>
      <ToolPairs
        path="response_variables"
        label={t('Response variables')}
        help={t('Variable name and path of its value, such as {example}.', {
          example: '$.customer.name',
        })}
        addLabel={t('Add variable')}
      />
      {children}
    </FormGroup>
  )
}

const MAX_CODE_LENGTH = 5_000
const LANGUAGE = 'JavaScript'

export function CodeForm() {
  const t = useText()
  const { value, set, ...field } = useToolField('code')
  const code = typeof value === 'string' ? value : ''
  return (
    <>
      <FormGroup title={t('Code')}>
        <CodeField
          {...field}
          label={LANGUAGE}
          help={t(
            'The body of an async function. dv contains the variables as text; the return value is the result. {count} of {max} characters.',
            { count: code.length, max: MAX_CODE_LENGTH },
          )}
          language="plain"
          value={code}
          onChange={set}
        />
      </FormGroup>
      <ResultFields>
        <ToolNumber
          path="timeout_ms"
          label={t('Timeout')}
          unit="s"
          scale={MS_PER_S}
          minimum={5}
          maximum={60}
          placeholder="30"
        />
      </ResultFields>
    </>
  )
}

export function McpForm({ servers }: { readonly servers: readonly string[] }) {
  const t = useText()
  const listId = useId()
  const { value, set, ...field } = useToolField('mcp_id')
  return (
    <>
      <FormGroup title={t('MCP server')}>
        <TextField
          {...field}
          label={t('Server')}
          help={t('ID or name of an MCP server.')}
          list={listId}
          spellCheck={false}
          autoComplete="off"
          value={typeof value === 'string' ? value : ''}
          onChange={set}
        />
        <datalist id={listId}>
          {servers.map((server) => (
            <option key={server} value={server} />
          ))}
        </datalist>
        <ToolJson path="input_schema" label={t('Parameters (JSON Schema)')} help={t('As described by the server.')} />
      </FormGroup>
      <ResultFields />
    </>
  )
}
