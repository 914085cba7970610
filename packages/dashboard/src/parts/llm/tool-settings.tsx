import type { McpServerSetting } from '@parley/contract/mcp-server'
import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { NumberField, SelectField, TextField } from '../../components/fields.tsx'
import { Panel } from '../../components/page.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { useText } from '../../lib/language.ts'
import { ObjectField } from '../tools/object-field.tsx'
import { findAvailableName } from '../tools/tool-kinds.ts'
import { ToolList } from '../tools/tool-list.tsx'
import { Collapsible } from './collapsible.tsx'
import type { LlmSectionProps } from './prompt-settings.tsx'

/** Renders the model's tools and MCP servers. */
export function ToolSettings({ value, onChange, disabled }: LlmSectionProps) {
  const t = useText()
  return (
    <>
      <Panel
        title={t('Tools')}
        description={t('Actions that the model can take. Each description says when to use the tool.')}
      >
        <ToolList
          tools={value.general_tools}
          onChange={(tools) => onChange({ general_tools: tools })}
          disabled={disabled}
          name="general_tools"
          mcps={value.mcps}
          variables={value.default_dynamic_variables}
          secretsFrom={value.llm_id}
        />
      </Panel>
      <Panel title={t('MCP servers')} description={t('Servers that provide tools over the Model Context Protocol.')}>
        <McpServers value={value.mcps} onChange={(mcps) => onChange({ mcps })} disabled={disabled} />
      </Panel>
    </>
  )
}

const SERVERS_PATH = 'mcps'
const MS_PER_S = 1_000
const EXAMPLE_URL = 'https://mcp.example.com/mcp'

function McpServers({
  value,
  onChange,
  disabled,
}: {
  readonly value: readonly McpServerSetting[]
  readonly onChange: (servers: McpServerSetting[]) => void
  readonly disabled: boolean
}) {
  const t = useText()
  const names = value.map(({ name }) => name)
  return (
    <div className="flex min-w-0 flex-col gap-3" data-field={SERVERS_PATH}>
      {value.map((server, index) => (
        <McpServerItem
          // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while the user types.
          key={index}
          server={server}
          name={`${SERVERS_PATH}[${index}]`}
          disabled={disabled}
          onChange={(newServer) =>
            onChange(value.map((existingServer, serverIndex) => (serverIndex === index ? newServer : existingServer)))
          }
          onRemove={() => onChange(value.filter((_item, serverIndex) => serverIndex !== index))}
        />
      ))}
      {value.length === 0 && <p className="text-muted">{t('No MCP servers.')}</p>}
      {!disabled && (
        <Button
          icon={Plus}
          className="w-fit"
          onClick={() => onChange([...value, { name: findAvailableName('server', names), url: '' }])}
        >
          {t('Add MCP server')}
        </Button>
      )}
    </div>
  )
}

interface McpServerProps {
  readonly server: McpServerSetting
  readonly name: string
  readonly disabled: boolean
  readonly onChange: (server: McpServerSetting) => void
  readonly onRemove: () => void
}

function McpServerItem({ server, name, disabled, onChange, onRemove }: McpServerProps) {
  const t = useText()
  return (
    <Collapsible title={server.name || t('Unnamed')} hint={server.url} name={name} isOpenInitially={server.url === ''}>
      <ServerFields server={server} name={name} disabled={disabled} onChange={onChange} />
      {!disabled && (
        <Button kind="quiet" icon={Trash2} className="w-fit" onClick={onRemove}>
          {t('Remove MCP server')}
        </Button>
      )}
    </Collapsible>
  )
}

interface ServerFieldsProps extends Pick<McpServerProps, 'server' | 'name' | 'disabled'> {
  /** `undefined` removes the field. */
  readonly setServerField: (field: keyof McpServerSetting, value: unknown) => void
}

function ServerFields({ server, name, disabled, onChange }: Omit<McpServerProps, 'onRemove'>) {
  const setServerField = (field: keyof McpServerSetting, value: unknown): void => {
    const { [field]: _previousValue, ...otherFields } = server
    onChange((value === undefined ? otherFields : { ...server, [field]: value }) as McpServerSetting)
  }
  const fields = { server, name, disabled, setServerField }
  return (
    <>
      <ConnectionFields {...fields} />
      <RequestFields {...fields} />
      <ExecutionFields {...fields} />
    </>
  )
}

function ConnectionFields({ server, name, disabled, setServerField }: ServerFieldsProps) {
  const t = useText()
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('Name')}
          help={t('Must be unique.')}
          name={`${name}.name`}
          value={server.name}
          onChange={(typed) => setServerField('name', typed)}
          disabled={disabled}
        />
        <TextField
          label={t('ID')}
          help={t('Tools refer to this ID. Defaults to the name.')}
          name={`${name}.mcp_id`}
          isOptional
          spellCheck={false}
          value={server.mcp_id ?? ''}
          onChange={(typed) => setServerField('mcp_id', typed || undefined)}
          disabled={disabled}
        />
      </div>
      <TextField
        label={t('URL')}
        name={`${name}.url`}
        placeholder={EXAMPLE_URL}
        spellCheck={false}
        value={server.url}
        onChange={(typed) => setServerField('url', typed)}
        disabled={disabled}
      />
    </>
  )
}

function RequestFields({ server, name, disabled, setServerField }: ServerFieldsProps) {
  const t = useText()
  const variables = t('Values can contain {example}.', { example: '{{variables}}' })
  return (
    <>
      <ObjectField
        label={t('Headers')}
        help={variables}
        name={`${name}.headers`}
        addLabel={t('Add header')}
        value={server.headers ?? {}}
        onChange={(headers) => setServerField('headers', Object.keys(headers).length === 0 ? undefined : headers)}
        disabled={disabled}
      />
      <ObjectField
        label={t('Query parameters')}
        help={variables}
        name={`${name}.query_params`}
        addLabel={t('Add parameter')}
        value={server.query_params ?? {}}
        onChange={(query) => setServerField('query_params', Object.keys(query).length === 0 ? undefined : query)}
        disabled={disabled}
      />
    </>
  )
}

function ExecutionFields({ server, name, disabled, setServerField }: ServerFieldsProps) {
  const t = useText()
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <NumberField
        label={t('Timeout')}
        name={`${name}.timeout_ms`}
        isOptional
        unit="s"
        minimum={1}
        maximum={600}
        placeholder="120"
        value={server.timeout_ms === undefined ? null : server.timeout_ms / MS_PER_S}
        onChange={(seconds) =>
          setServerField('timeout_ms', seconds === null ? undefined : Math.round(seconds * MS_PER_S))
        }
        disabled={disabled}
      />
      <SelectField
        label={t('Require approval')}
        name={`${name}.require_approval`}
        value={server.require_approval ?? 'never'}
        choices={[
          { value: 'never', label: t('Never') },
          { value: 'always', label: t('Always') },
        ]}
        onChange={(selected) => setServerField('require_approval', selected)}
        disabled={disabled}
      />
      {server.require_approval === 'always' && (
        <LinesField
          label={t('Allowed tools')}
          help={t('These tools run without approval. One per line.')}
          name={`${name}.approved_tools`}
          value={server.approved_tools ?? []}
          onChange={(lines) => setServerField('approved_tools', lines.length === 0 ? undefined : lines)}
          disabled={disabled}
        />
      )}
    </div>
  )
}
