import type { McpServerSetting } from '@parley/contract/mcp-server'
import { Plus, Trash2 } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { NumberField, SelectField, TextField } from '../../components/fields.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { useText } from '../../lib/language.ts'
import { freeName } from '../tools/new-tool.ts'
import { ObjectField } from '../tools/object-field.tsx'
import { Fold } from './fold.tsx'

const LIST = 'mcps'
const MS_PER_S = 1_000
const EXAMPLE_ADDRESS = 'https://mcp.example.com/mcp'

/** The MCP servers of a configuration. */
export function McpServers({
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
    <div className="flex min-w-0 flex-col gap-3" data-field={LIST}>
      {value.map((server, index) => (
        <ServerPart
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed.
          key={index}
          server={server}
          name={`${LIST}[${index}]`}
          disabled={disabled}
          onChange={(changed) => onChange(value.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => onChange(value.filter((_one, at) => at !== index))}
        />
      ))}
      {value.length === 0 && <p className="text-muted">{t('There is none.')}</p>}
      {!disabled && (
        <Button
          icon={Plus}
          className="w-fit"
          onClick={() => onChange([...value, { name: freeName('server', names), url: '' }])}
        >
          {t('Add MCP server')}
        </Button>
      )}
    </div>
  )
}

interface ServerPartProps {
  readonly server: McpServerSetting
  readonly name: string
  readonly disabled: boolean
  readonly onChange: (server: McpServerSetting) => void
  readonly onRemove: () => void
}

function ServerPart({ server, name, disabled, onChange, onRemove }: ServerPartProps) {
  const t = useText()
  return (
    <Fold title={server.name || t('Without a name')} hint={server.url} name={name} isOpenFirst={server.url === ''}>
      <ServerFields server={server} name={name} disabled={disabled} onChange={onChange} />
      {!disabled && (
        <Button kind="quiet" icon={Trash2} className="w-fit" onClick={onRemove}>
          {t('Remove MCP server')}
        </Button>
      )}
    </Fold>
  )
}

interface ServerFieldsProps extends Pick<ServerPartProps, 'server' | 'name' | 'disabled'> {
  /** Puts a field to a value; `undefined` takes it away. */
  readonly set: (field: keyof McpServerSetting, value: unknown) => void
}

function ServerFields({ server, name, disabled, onChange }: Omit<ServerPartProps, 'onRemove'>) {
  const set = (field: keyof McpServerSetting, value: unknown): void => {
    const { [field]: _before, ...others } = server
    onChange((value === undefined ? others : { ...server, [field]: value }) as McpServerSetting)
  }
  const fields = { server, name, disabled, set }
  return (
    <>
      <AddressFields {...fields} />
      <RequestFields {...fields} />
      <RunFields {...fields} />
    </>
  )
}

function AddressFields({ server, name, disabled, set }: ServerFieldsProps) {
  const t = useText()
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('Name')}
          help={t('Each name once.')}
          name={`${name}.name`}
          value={server.name}
          onChange={(typed) => set('name', typed)}
          disabled={disabled}
        />
        <TextField
          label={t('Id')}
          help={t('How tools name it; its name when empty.')}
          name={`${name}.mcp_id`}
          isOptional
          spellCheck={false}
          value={server.mcp_id ?? ''}
          onChange={(typed) => set('mcp_id', typed || undefined)}
          disabled={disabled}
        />
      </div>
      <TextField
        label={t('Address')}
        name={`${name}.url`}
        placeholder={EXAMPLE_ADDRESS}
        spellCheck={false}
        value={server.url}
        onChange={(typed) => set('url', typed)}
        disabled={disabled}
      />
    </>
  )
}

function RequestFields({ server, name, disabled, set }: ServerFieldsProps) {
  const t = useText()
  const variables = t('Values may hold {example}.', { example: '{{variables}}' })
  return (
    <>
      <ObjectField
        label={t('Headers')}
        help={variables}
        name={`${name}.headers`}
        addLabel={t('Add header')}
        value={server.headers ?? {}}
        onChange={(headers) => set('headers', Object.keys(headers).length === 0 ? undefined : headers)}
        disabled={disabled}
      />
      <ObjectField
        label={t('Parameters of the address')}
        help={variables}
        name={`${name}.query_params`}
        addLabel={t('Add parameter')}
        value={server.query_params ?? {}}
        onChange={(query) => set('query_params', Object.keys(query).length === 0 ? undefined : query)}
        disabled={disabled}
      />
    </>
  )
}

/** How long its tools may take, and which of them ask before they run. */
function RunFields({ server, name, disabled, set }: ServerFieldsProps) {
  const t = useText()
  return (
    <>
      <NumberField
        label={t('Time limit')}
        name={`${name}.timeout_ms`}
        isOptional
        unit="s"
        minimum={1}
        maximum={600}
        placeholder="120"
        value={server.timeout_ms === undefined ? null : server.timeout_ms / MS_PER_S}
        onChange={(seconds) => set('timeout_ms', seconds === null ? undefined : Math.round(seconds * MS_PER_S))}
        disabled={disabled}
      />
      <SelectField
        label={t('Ask the user before a tool runs')}
        name={`${name}.require_approval`}
        value={server.require_approval ?? 'never'}
        choices={[
          { value: 'never', label: t('Never') },
          { value: 'always', label: t('Always') },
        ]}
        onChange={(chosen) => set('require_approval', chosen)}
        disabled={disabled}
      />
      {server.require_approval === 'always' && (
        <LinesField
          label={t('Tools that run without asking')}
          help={t('One in a line.')}
          name={`${name}.approved_tools`}
          value={server.approved_tools ?? []}
          onChange={(lines) => set('approved_tools', lines.length === 0 ? undefined : lines)}
          disabled={disabled}
        />
      )}
    </>
  )
}
