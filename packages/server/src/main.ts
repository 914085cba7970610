import { enableCompileCache } from 'node:module'

// Only the installation's user can read its files.
process.umask(0o077)
// Enabled before other imports, so that the second start compiles nothing.
enableCompileCache()

const { ConfigError, readConfig } = await import('./config.ts')
const { startApp } = await import('./app.ts')
const { StartError } = await import('./start-error.ts')

try {
  const starting = startApp(readConfig())
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal exits immediately.
      if (stopping) process.exit(130)
      stopping = true
      starting
        .then((app) => app.stop())
        .then(
          () => process.exit(0),
          () => process.exit(1),
        )
    })
  }
  await starting
} catch (error) {
  if (!(error instanceof ConfigError) && !(error instanceof StartError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
