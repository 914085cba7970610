import { printSettings } from './reference/print-settings.ts'

/** Prints the settings of agents as Markdown: `node scripts/print-agent-settings.ts > docs/reference/agent-settings.md`. */
process.stdout.write(printSettings())
