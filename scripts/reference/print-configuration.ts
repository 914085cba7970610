import { formatTable } from '@parley/contract/reference/schema-text'
import type { z } from 'zod'
import { ENVIRONMENT_SECTIONS } from '../../packages/server/src/environment-settings.ts'

/** Prints all environment variables of the server as a Markdown page. */
export function printConfiguration(): string {
  const lines = [
    '# Configuration',
    '',
    'Printed by `scripts/print-configuration.ts` from the server. Do not edit.',
    '',
    'All environment variables of the server. Blank values count as unset.',
    '',
  ]
  for (const [title, settings] of Object.entries(ENVIRONMENT_SECTIONS)) {
    const rows = Object.entries(settings).map(([name, schema]) => [
      `\`${name}\``,
      describeDefault(schema),
      schema.description ?? '',
    ])
    lines.push(`## ${title}`, '', ...formatTable(['variable', 'default', 'description'], rows))
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** Returns the default as text, or as an environment value if the schema has a default. */
function describeDefault(schema: z.ZodType): string {
  const displayedDefault = schema.meta()?.shownDefault
  if (typeof displayedDefault === 'string') return displayedDefault
  const value = schema.parse(undefined)
  if (value === undefined || Array.isArray(value)) return 'none'
  return `\`${typeof value === 'boolean' ? Number(value) : value}\``
}
