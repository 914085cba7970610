import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { ToolList } from '../tools/tool-list.tsx'
import type { LlmPartProps } from './llm-part.ts'
import { McpServers } from './mcp-servers.tsx'

/** What the model can do beside speaking: tools, and the MCP servers that some of them call. */
export function ToolSettings({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  return (
    <div className="flex flex-col gap-5">
      <Panel
        title={t('Tools')}
        description={t('What the model can do beside speaking. Each description tells it when to.')}
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
      <Panel
        title={t('MCP servers')}
        description={t('Servers that speak the Model Context Protocol; tools name them by id, or by name without one.')}
      >
        <McpServers value={value.mcps} onChange={(mcps) => onChange({ mcps })} disabled={disabled} />
      </Panel>
    </div>
  )
}
