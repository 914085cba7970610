import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import type { Setting } from '@parley/contract/agent-settings/setting'
import { SETTING_GROUPS } from '@parley/contract/agent-settings/setting-groups'
import { operations } from '@parley/contract/index'
import { buildOpenApiDocument } from '@parley/contract/openapi'
import { describeType, formatCode, formatTable, type Schema } from '@parley/contract/reference/schema-text'

/** Prints all agent settings as a Markdown page, in the sections of the dashboard. */
export function printSettings(): string {
  const document = buildOpenApiDocument(Object.values(operations)) as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const { UpdateAgentBody, UpdateChatAgentBody } = document.components.schemas
  const fields = { ...UpdateChatAgentBody?.properties, ...UpdateAgentBody?.properties }
  const settings: readonly (readonly [string, Setting])[] = Object.entries({
    ...AGENT_SETTINGS,
    ...CHAT_AGENT_SETTINGS,
  })
  const lines = [
    '# Agent settings',
    '',
    'Printed by `scripts/print-agent-settings.ts` from the contract. Do not edit.',
    '',
    'All settings of agents and chat agents, in the sections of the dashboard. `null` resets a setting to its default. The',
    'engine of an agent and the operations with these fields are in the API reference.',
    '',
  ]
  for (const [name, { title }] of Object.entries(SETTING_GROUPS)) {
    const rows = settings
      .filter(([, { group }]) => group === name)
      .map(([field, setting]) => [
        `\`${field}\``,
        listAgentKinds(field),
        describeValues(fields[field] ?? {}),
        setting.type === 'required' ? 'required' : formatCode(setting.default),
        setting.description,
      ])
    lines.push(`## ${title}`, '', ...formatTable(['setting', 'agents', 'values', 'default', 'description'], rows))
  }
  return `${lines.join('\n').trimEnd()}\n`
}

function listAgentKinds(field: string): string {
  if (!Object.hasOwn(CHAT_AGENT_SETTINGS, field)) return 'agents'
  return Object.hasOwn(AGENT_SETTINGS, field) ? 'both' : 'chat agents'
}

/** Describes the values besides `null`, which resets any setting. The API reference contains the named schemas. */
function describeValues(schema: Schema): string {
  return describeType(schema)
    .replaceAll(' or null', '')
    .replaceAll(/\[([^\]]+)\]\(#[^)]*\)/g, '$1')
}
