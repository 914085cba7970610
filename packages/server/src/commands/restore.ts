import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { lockFolder } from '../platform/archive/copy-installation.ts'
import { restoreArchive } from '../platform/archive/restore-archive.ts'
import { systemClock } from '../platform/system.ts'
import { countRows, getConfiguredAddress, getRequiredOption, readSecretKey, runCommand } from './run-command.ts'

const USAGE = `Usage: npm run restore -- --from <file>
Restores a backup into an empty installation: a DATA_DIR without a database, or the empty database of DATABASE_URL.
Use the secret key of the saved installation (SECRET_KEY, or secret.key in DATA_DIR).`

await runCommand(USAGE, { from: { type: 'string' } }, async (input) => {
  const { config, signal, onProgress } = input
  const clock = systemClock
  const file = resolve(getRequiredOption(input, 'from', USAGE))
  const to = getConfiguredAddress(config)
  if (to.kind === 'sqlite') await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const secretKey = await readSecretKey(config)
  const lock = to.kind === 'sqlite' ? lockFolder(to.file, clock) : null
  try {
    const { createdAt, tables } = await restoreArchive({ file, to, secretKey, clock, signal, onProgress })
    process.stdout.write(
      `Restored ${countRows(tables)} rows of ${tables.size} tables, saved at ${createdAt}, into ${to.location}\n`,
    )
  } finally {
    lock?.release()
  }
})
