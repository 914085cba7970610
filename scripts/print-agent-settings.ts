import { printSettings } from './reference/print-settings.ts'

/** Prints the agent settings as Markdown: `node scripts/print-agent-settings.ts > docs/reference/agent-settings.md`. */
process.stdout.write(printSettings())
