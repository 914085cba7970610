import { resolve } from 'node:path'
import { parseAddress, toSqliteAddress } from '../platform/archive/connection.ts'
import { copyInstallation } from '../platform/archive/copy-installation.ts'
import { systemClock } from '../platform/system.ts'
import { formatTables, getRequiredOption, readSecretKey, runCommand } from './run-command.ts'

const USAGE = `Usage: npm run db:copy -- --to <address> [--from <address>] [--restart]
Copies a stopped installation into an empty database and compares the two. An interrupted copy resumes where it stopped.
Addresses: postgres://user:password@host:5432/database or sqlite:<path of the file>. --from defaults to DATA_DIR.
--restart discards the data of an interrupted copy in the target.`

const OPTIONS = { to: { type: 'string' }, from: { type: 'string' }, restart: { type: 'boolean' } } as const

await runCommand(USAGE, OPTIONS, async (input) => {
  const { values, config, signal, onProgress } = input
  const clock = systemClock
  const to = parseAddress(getRequiredOption(input, 'to', USAGE))
  const from =
    typeof values.from === 'string' ? parseAddress(values.from) : toSqliteAddress(resolve(config.dataDir, 'parley.db'))
  const secretKey = await readSecretKey(config)
  const startedAt = clock.now()
  const result = await copyInstallation({
    from,
    to,
    secretKey,
    restart: values.restart === true,
    clock,
    signal,
    onProgress,
  })
  const seconds = Math.max(0.001, (clock.now() - startedAt) / 1000)
  const rate = Math.round(result.copiedRows / seconds)
  process.stdout.write(`${formatTables(result.target, result.mismatchedTables)}\n\n`)
  if (result.mismatchedTables.length > 0) {
    process.exitCode = 1
    process.stderr.write(
      `Source and target differ (${result.mismatchedTables.join(', ')}): copy again with --restart.\n`,
    )
    return
  }
  process.stdout.write(`Copied ${result.copiedRows} rows in ${seconds.toFixed(1)} s (${rate} rows/s). Source and target are equal.

${formatNextSteps(to.kind === 'postgres' ? to.location : null, config)}`)
})

/** Returns the start instructions for the copy, without the key. */
function formatNextSteps(
  url: string | null,
  { secretKey, dataDir }: { secretKey: string | undefined; dataDir: string },
): string {
  const key =
    secretKey === undefined ? `SECRET_KEY="$(cat ${resolve(dataDir, 'secret.key')})"` : 'the current SECRET_KEY'
  const target = url === null ? 'DATA_DIR as the folder of the file' : `DATABASE_URL as ${url} with its password`
  return `Start the new installation with ${target}
and ${key}
The copy verified that this key decrypts the stored secrets. Keep the old installation stopped.
`
}
