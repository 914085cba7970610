import { expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../../testing/model-server/model-server.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { complete, createAgent, createChat, createLlm, expectBody, remove, send } from '../../testing/server-test.ts'

const KEY = 'sk-stored-by-the-workspace-1234'

async function start(env: (models: ModelServer) => Readonly<Record<string, string>>) {
  const models = await startModelServer()
  const server = await runServer({ env: { LOG_LEVEL: 'trace', ...env(models) } })
  return {
    models,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await models.close()
    },
  }
}

const storeKey = (server: RunningServer, baseUrl: string) =>
  expectBody<{ providerKeyId: string }>(
    201,
    send(server, 'POST', '/api/provider-keys', { service: 'openai', apiKey: KEY, baseUrl }),
  )

test('a conversation uses the key of its workspace from its storage to its deletion', async () => {
  await using running = await start((models) => ({ ALLOW_PRIVATE_TARGETS: new URL(models.url).host }))
  const { server, models } = running
  const before = await createLlm(server, { model: 'openai/some' })
  expect(before.warnings).toHaveLength(1)
  const agent = await createAgent(server, {}, { model: 'openai/some' })
  const chat = await createChat(server, agent)
  const ask = () => send(server, 'POST', `/api/chats/${chat.chatId}/completions`, { content: 'Hello' })
  expect(await ask()).toMatchObject({ status: 422, body: { code: 'model_not_configured' } })

  const { providerKeyId } = await storeKey(server, `${models.url}/v1`)
  expect((await createLlm(server, { model: 'openai/some' })).warnings).toEqual([])
  expect(await complete(server, chat.chatId, 'Hello')).toMatchObject([{ content: 'You said: Hello.' }])
  expect(models.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`])

  expect((await remove(server, `/api/provider-keys/${providerKeyId}`)).status).toBe(204)
  expect(await ask()).toMatchObject({ status: 422, body: { code: 'model_not_configured' } })
  expect(server.output).not.toContain('stored-by-the-workspace')
})

test('an address inside the private network is refused', async () => {
  await using running = await start((models) => ({ OPENAI_BASE_URL: `${models.url}/v1` }))
  const { server, models } = running
  const agent = await createAgent(server, {}, { model: 'openai/some' })
  const chat = await createChat(server, agent)
  expect(await complete(server, chat.chatId, 'Hello')).toMatchObject([{ content: 'You said: Hello.' }])
  await storeKey(server, `${models.url}/v1`)
  const refused = await send(server, 'POST', `/api/chats/${chat.chatId}/completions`, { content: 'Again' })
  expect(refused).toMatchObject({ status: 502, body: { code: 'provider_error' } })
  expect(models.requests).toHaveLength(1)
})
