import { printConfiguration } from './reference/print-configuration.ts'

/** Prints the environment variables as Markdown: `node scripts/print-configuration.ts > docs/reference/configuration.md`. */
process.stdout.write(printConfiguration())
