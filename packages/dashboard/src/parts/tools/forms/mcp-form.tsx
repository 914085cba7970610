import { useId } from 'react'
import { TextField } from '../../../components/fields.tsx'
import { useText } from '../../../lib/language.ts'
import { FormGroup, ToolJson } from '../bound-fields.tsx'
import { useToolField } from '../tool-form.ts'
import { ResultFields } from './custom-form.tsx'

/** Calls a tool of an MCP server. `servers` are what tools may name. */
export function McpForm({ servers }: { readonly servers: readonly string[] }) {
  const t = useText()
  const list = useId()
  const { value, set, ...field } = useToolField('mcp_id')
  return (
    <>
      <FormGroup title={t('MCP server')}>
        <TextField
          {...field}
          label={t('Server')}
          help={t('The id of one of the MCP servers of this configuration, or its name when it has no id.')}
          list={list}
          spellCheck={false}
          autoComplete="off"
          value={typeof value === 'string' ? value : ''}
          onChange={set}
        />
        <datalist id={list}>
          {servers.map((server) => (
            <option key={server} value={server} />
          ))}
        </datalist>
        <ToolJson
          path="input_schema"
          label={t('Arguments, as JSON Schema')}
          help={t('As the server describes them.')}
        />
      </FormGroup>
      <ResultFields />
    </>
  )
}
