import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'
import { Agent } from 'undici'

/**
 * The limit server does the minimum that a server between a client and a model must do without losing a message. It stores the
 * user message, forwards the model's bytes as they arrive, and stores the answer before the response ends. Both writes are
 * durable. It performs no checks and sends no history. Usage: `limit-server.ts <model url>`. Prints its URL.
 */
const modelUrl = process.argv[2] ?? ''
const folder = mkdtempSync(join(tmpdir(), 'parley-limit-'))
const database = new DatabaseSync(join(folder, 'limit.db'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
database.exec(
  'CREATE TABLE messages (id INTEGER PRIMARY KEY, chat_id TEXT, role TEXT, content TEXT, created_at INTEGER)',
)
const insert = database.prepare('INSERT INTO messages (chat_id, role, content, created_at) VALUES (?, ?, ?, ?)')
const modelClient = new Agent()

const fastify = Fastify({ logger: false })
fastify.post<{ Params: { chatId: string }; Body: { content: string } }>('/chats/:chatId', async (request, reply) => {
  const { chatId } = request.params
  insert.run(chatId, 'user', request.body.content, Date.now())
  const body = JSON.stringify({
    model: 'stub',
    stream: true,
    messages: [{ role: 'user', content: request.body.content }],
  })
  const response = await modelClient.request({
    origin: modelUrl,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  reply.hijack()
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
  let text = ''
  response.body.setEncoding('utf8')
  response.body.on('data', (chunk: string) => {
    text += chunk
    reply.raw.write(chunk)
  })
  response.body.on('end', () => {
    insert.run(chatId, 'assistant', extractContent(text), Date.now())
    reply.raw.end()
  })
  response.body.on('error', () => reply.raw.destroy())
})

/** Extracts the text from the stub's stream in the cheapest way: one expression over the entire stream and one parse. */
function extractContent(stream: string): string {
  let escapedText = ''
  for (const match of stream.matchAll(/"delta":\{"content":"((?:[^"\\]|\\.)*)"/g)) escapedText += match[1]
  return JSON.parse(`"${escapedText}"`) as string
}

const url = await fastify.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})
