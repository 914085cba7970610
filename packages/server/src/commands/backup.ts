import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createBackup } from '../platform/archive/create-backup.ts'
import { systemClock } from '../platform/system.ts'
import { countRows, getConfiguredAddress, readSecretKey, runCommand } from './run-command.ts'

const USAGE = `Usage: npm run backup [-- --to <file>]
Writes all data from DATABASE_URL, or from DATA_DIR if it is not set, to one file. The server can keep running.
Without --to, the file is created in DATA_DIR/backups.`

await runCommand(USAGE, { to: { type: 'string' } }, async ({ values, config, signal, onProgress }) => {
  const clock = systemClock
  const from = getConfiguredAddress(config)
  const secretKey = await readSecretKey(config)
  const timestamp = new Date(clock.now())
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '')
  const requestedFile = typeof values.to === 'string' && values.to !== '' ? resolve(values.to) : null
  const file = requestedFile ?? resolve(join(config.dataDir, 'backups', `parley-${timestamp}.ndjson.gz`))
  if (requestedFile === null) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const { tables, sizeBytes } = await createBackup({ from, file, secretKey, clock, signal, onProgress })
  const size = (sizeBytes / 1_000_000).toFixed(1)
  process.stdout.write(`Saved ${countRows(tables)} rows of ${tables.size} tables (${size} MB): ${file}
The backup does not contain the secret key. Keep a copy of the key elsewhere: it is required to decrypt stored secrets.
`)
})
