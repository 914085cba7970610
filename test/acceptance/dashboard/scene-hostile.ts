import type { ServerClient } from '../../../testing/running-server.ts'
import { senderOf, type Words } from '../../full/dashboard/scene-records.ts'

/** Part of every hostile text. */
export const MARK = '<img src=x onerror="window.__ran=true">'

const REST = ' <script>window.__ran=true</script> javascript:window.__ran=true {{__proto__}} 👩‍🔧🏳️‍🌈 '
const TO_THE_LEFT = 'שלום עולם מחר '
const MAX_LENGTH = 600
/** Most user texts are names. */
const MAX_NAME = 200

/** A hostile text: markup, right-to-left words, emoji, and a long word up to the limit of the field. */
export const hostileWords: Words = (plain, most = MAX_NAME) => {
  const isLong = most >= MAX_NAME
  // The start of a text determines its direction.
  const start = isLong && plain.length % 2 === 0 ? TO_THE_LEFT + MARK : MARK
  const text = start + plain + (isLong ? REST : '')
  return text.padEnd(Math.min(most, MAX_LENGTH), 'W').slice(0, most)
}

/** A hostile product name of the maximum length. */
export const HOSTILE_BRAND = hostileWords('Voices', 100)

/** Host name with this brand before login. */
export const HOSTILE_HOST = 'voices.example.com'

/** Gives the account a hostile name and brand, and creates an agent without a name. */
export async function seedHostileAccount(server: ServerClient): Promise<void> {
  const send = senderOf(server)
  const workspace = await server.call<{ accountSid: string }>('GET', `/api/workspaces/${server.workspaceId}`)
  const tenantId = workspace.body.accountSid
  const tenant = await server.call<{ providerId: string }>('GET', `/api/tenants/${tenantId}`)
  const { providerId } = tenant.body
  const links = {
    supportUrl: 'https://brand.example.com/?javascript:window.__ran=true',
    termsUrl: 'https://brand.example.com/"onclick="window.__ran=true',
  }
  await call(server, '/api/branding', { providerId, productName: HOSTILE_BRAND })
  await call(server, '/api/branding', { tenantId, productName: HOSTILE_BRAND, domain: HOSTILE_HOST, ...links })
  await send('POST', '/api/branding/domain/verify', { tenantId, vouch: true })
  await call(server, `/api/tenants/${tenantId}`, { name: hostileWords('Customer') })
  await send('POST', '/api/agents', {
    agent_name: '',
    voice_id: 'voice_builtin_slt',
    response_engine: { type: 'llm', llm_id: (await send('POST', '/api/v1/llms', { model: 'offline' })).llm_id },
  })
}

async function call(server: ServerClient, path: string, body: object): Promise<void> {
  const answer = await server.call('PATCH', path, { body })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
}
