import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openWebhooks } from './webhooks-test-kit.ts'

const guide = readFileSync(new URL('../../../../../docs/guides/webhooks.md', import.meta.url), 'utf8')
const hasPython = spawnSync('python3', ['--version']).status === 0

/** Finds the guide's only program in this language. */
function findProgram(language: string): string {
  const programs = [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))]
  expect(programs).toHaveLength(1)
  return programs[0]?.[1] ?? ''
}

/** Runs a receiver of the guide until the end of the block. `lines` is its output. */
async function startReceiver(command: string, language: string, secret: string) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-guide-'))
  const file = join(folder, `receiver.${language === 'js' ? 'mjs' : 'py'}`)
  await writeFile(file, findProgram(language))
  const { PATH } = process.env
  const child: ChildProcess = spawn(command, [file], {
    env: { PATH, PORT: '0', SIGNING_SECRET: secret },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines: string[] = []
  if (child.stdout === null) throw new Error('It has no output.')
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => lines.push(line))
  await once(output, 'line')
  const port = /^ready on port (\d+)$/.exec(lines.shift() ?? '')?.[1]
  return {
    url: `http://127.0.0.1:${port}/parley`,
    lines,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function tryReceiver(command: string, language: string): Promise<void> {
  await using feature = await openWebhooks({ startMs: Date.now() })
  const [secret = ''] = await feature.signingSecrets.getActiveSecrets(1)
  await using receiver = await startReceiver(command, language, secret)
  await feature.addWebhook(receiver.url)
  feature.webhooks.start()
  await feature.emitEvent('chat_ended')
  await feature.attempted(1)
  const [delivery] = await feature.deliveries()
  await feature.send(`POST /api/webhook-deliveries/${delivery?.deliveryId}/resend`, { workspaceId: 1 })
  await feature.attempted(2)
  await feature.send('POST /api/signing-secret/rotate', { workspaceId: 1 })
  await feature.emitEvent('chat_analyzed')
  await feature.attempted(3)
  const answers = (await feature.deliveries()).flatMap(({ attempts }) =>
    attempts.map(({ responseBody }) => responseBody),
  )
  expect(answers).toEqual(['taken', 'known', 'taken'])
  await feature.until(() => receiver.lines.length === 2)
  expect(receiver.lines).toEqual(['chat_ended chat_1', 'chat_analyzed chat_1'])

  const forged = await fetch(receiver.url, {
    method: 'POST',
    headers: { 'x-webhook-id': 'delivery_x', 'x-webhook-signature': `v=${Date.now()},d=${'0'.repeat(64)}` },
    body: '{"event":"chat_ended"}',
  })
  expect([forged.status, await forged.text()]).toEqual([401, 'bad signature'])
}

test('the Node receiver of the guide accepts signed deliveries once and rejects others', async () => {
  await tryReceiver(process.execPath, 'js')
})

test.skipIf(!hasPython)('the Python receiver of the guide does the same', async () => {
  await tryReceiver('python3', 'python')
})
