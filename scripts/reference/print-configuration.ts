import { tableLines } from '@parley/contract/reference/schema-text'
import type { z } from 'zod'
import { ENVIRONMENT_SECTIONS } from '../../packages/server/src/environment-settings.ts'

/** Prints every environment variable of the server as one page of Markdown. */
export function printConfiguration(): string {
  const lines = [
    '# Configuration',
    '',
    'Printed by `scripts/print-configuration.ts` from the server. Do not edit.',
    '',
    'Every environment variable that the server reads. Blank values count as not set.',
    '',
  ]
  for (const [title, settings] of Object.entries(ENVIRONMENT_SECTIONS)) {
    const rows = Object.entries(settings).map(([name, schema]) => [
      `\`${name}\``,
      defaultText(schema),
      schema.description ?? '',
    ])
    lines.push(`## ${title}`, '', ...tableLines(['variable', 'default', 'meaning'], rows))
  }
  return `${lines.join('\n').trimEnd()}\n`
}

/** The given text, or the schema's default as it is written in the environment. */
function defaultText(schema: z.ZodType): string {
  const shown = schema.meta()?.shownDefault
  if (typeof shown === 'string') return shown
  const value = schema.parse(undefined)
  if (value === undefined || Array.isArray(value)) return 'none'
  return `\`${typeof value === 'boolean' ? Number(value) : value}\``
}
