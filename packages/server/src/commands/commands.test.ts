import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createInstallation, createTemporaryFolder, SECRET_KEY } from '../platform/archive/archive-test-kit.ts'

/** Each command is a process, and tests run in parallel. */
const TIMEOUT_MS = 90_000

interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

/** Runs a command as its npm script does, without the test's environment. */
function run(name: 'backup' | 'restore' | 'db-copy', env: Environment, ...options: string[]): Promise<CommandResult> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  return new Promise((resolve) => {
    const { PATH = '' } = process.env
    execFile(process.execPath, [file, ...options], { env: { PATH, ...env } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

test('backs up into the data folder and restores from there', { timeout: TIMEOUT_MS }, async () => {
  await using folder = await createTemporaryFolder()
  await using otherFolder = await createTemporaryFolder()
  await createInstallation(folder.file('parley.db'), { rowsPerTable: 3 })
  await writeFile(folder.file('secret.key'), `${SECRET_KEY}\n`)
  const backup = await run('backup', { DATA_DIR: folder.path })
  expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Saved \d+ rows of \d+ tables/) })
  expect(backup.stderr).toContain('saved messages: 3 rows')
  const [name = ''] = readdirSync(folder.file('backups'))
  const file = folder.file(`backups/${name}`)
  expect(backup.stdout).toContain(file)
  expect(`${backup.stdout}${backup.stderr}${readFileSync(file, 'latin1')}`).not.toContain(SECRET_KEY)

  const withoutKey = await run('restore', { DATA_DIR: otherFolder.path }, '--from', file)
  expect(withoutKey).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no secret key') })
  const settings = { DATA_DIR: otherFolder.path, SECRET_KEY }
  const restore = await run('restore', settings, '--from', file)
  expect(restore).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored \d+ rows/) })
  const secondRestore = await run('restore', settings, '--from', file)
  expect(secondRestore).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('already exists: restore into an empty DATA_DIR'),
  })
})

test('prints one sentence and exits with code 1 on failure', { timeout: TIMEOUT_MS }, async () => {
  await using folder = await createTemporaryFolder()
  const settings = { DATA_DIR: folder.path, SECRET_KEY }
  const address = 'postgres://ann:hidden-word@127.0.0.1:1/parley'
  await createInstallation(folder.file('parley.db'), { rowsPerTable: 1 })
  const outcomes = await Promise.all([
    run('db-copy', settings, '--to', address),
    run('db-copy', settings, '--to', 'parley'),
    run('db-copy', settings),
    run('restore', settings, '--from', folder.file('none.gz'), '--quick'),
    run('restore', { ...settings, DATA_DIR: folder.file('empty') }, '--from', folder.file('none.gz')),
    run('backup', { ...settings, DATA_DIR: folder.file('nowhere') }, '--to', folder.file('x.gz')),
    run('backup', settings, '--to', folder.file('no/such/folder.gz')),
    run('backup', { ...settings, SECRET_KEY: 'short' }),
  ])
  for (const { code, stdout, stderr } of outcomes) {
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).not.toMatch(/hidden-word|\n\s+at /)
  }
  expect(outcomes.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
    'postgres://ann@127.0.0.1:1/parley refuses connections: check the address and port, and that the server is running.',
    expect.stringContaining('The database address is not valid'),
    '--to is missing.',
    expect.stringContaining("Unknown option '--quick'"),
    `${folder.file('none.gz')} does not exist.`,
    expect.stringContaining('does not exist: check DATA_DIR'),
    expect.stringMatching(/no\/such\/folder\.gz.* does not exist\.$/),
    'The configuration is not valid:',
  ])
})
