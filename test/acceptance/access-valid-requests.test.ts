import type { Call } from '@parley/contract/call'
import type { Operation } from '@parley/contract/operation'
import { describe, expect } from 'vitest'
import type { ApiClient } from '../../testing/api-client.ts'
import { joinCall } from '../../testing/call-client.ts'
import type { ModelServer } from '../../testing/model-server/model-server.ts'
import { VOICE } from '../../testing/server-test.ts'
import { ALL, type Attempt, attempt, bearer, cookieOf } from '../full/access-attempt.ts'
import { entryOf } from '../full/access-outcome.ts'
import { logIn } from '../full/access-people.ts'
import { type Scene, test } from '../full/access-scene.ts'
import { newEmail, OWNER_LOGIN } from '../full/valid-account-bodies.ts'
import { dialogNodes } from '../full/valid-bodies.ts'
import { validPath } from '../full/valid-request-parts.ts'

/** Sends the owner's valid request of every operation: creations first, deletions last. */

/** Deletes dependents first, in the reverse order of the contract. */
const IN_ORDER = [
  ...ALL.filter(({ method }) => method !== 'DELETE'),
  ...ALL.filter(({ method }) => method === 'DELETE').toReversed(),
]

/** Operations that need another resource than the scene's. */
const SPECIAL_REQUESTS: Readonly<Record<string, (stage: Stage) => Promise<Partial<Attempt>>>> = {
  cancelTurn: async ({ scene, models }) => ({ path: await startTurn(scene, models) }),
  async rewindChat({ scene: { server, spare } }) {
    const { workspaceId } = spare
    const { chatId } = await create(server, '/api/chats', { workspaceId, agentId: spare.values.agentId })
    const turn = { workspaceId, content: 'Hello' }
    const completion = await create<{ messages: { turn_id: string }[] }>(
      server,
      `/api/chats/${chatId}/completions`,
      turn,
    )
    const [message] = completion.messages
    return { path: `/api/chats/${chatId}/rewind`, body: { workspaceId, turnId: message?.turn_id } }
  },
  controlCall: async ({ scene }) => ({ path: `/api/v1/calls/${await joinCallOf(scene)}/control` }),
  listenToCall: async ({ scene }) => ({ path: `/api/v1/calls/${await joinCallOf(scene)}/listen` }),
  // A workspace whose calls wait for their callers cannot be deleted: not in the one that is.
  createWebCall: async ({ scene }) => ({ ids: scene.fourth }),
  // The call of the other one is deleted before; nothing to remove is no error.
  deleteCallRecording: async ({ scene }) => ({ ids: scene.fourth }),
  async resetPassword({ scene: { server } }) {
    const { tenantId } = await create(server, '/api/tenants', { name: 'For a link' })
    const invited = await create<{ inviteUrl: string }>(server, `/api/tenants/${tenantId}/admins`, {
      email: newEmail(),
    })
    const [, token] = invited.inviteUrl.split('#token=')
    return { body: { token, newPassword: 'a password of one’s own' } }
  },
  async acceptInvitation({ scene: { server, spare } }) {
    const members = `/api/workspaces/${spare.workspaceId}/members`
    const { inviteUrl } = await create(server, members, { email: OWNER_LOGIN.email, role: 'viewer' })
    return { body: { token: inviteUrl?.split('#token=')[1] } }
  },
  async deleteLlm({ scene: { server, spare } }) {
    const { llm_id } = await create(server, '/api/v1/llms', { workspaceId: spare.workspaceId })
    return { path: `/api/llms/${llm_id}` }
  },
  async deleteConversationFlow({ scene: { server, spare } }) {
    const { workspaceId } = spare
    const flow = await create(server, '/api/conversation-flows', { workspaceId, nodes: dialogNodes('Be brief.') })
    return { path: `/api/conversation-flows/${flow.conversation_flow_id}` }
  },
  updateVoice: ({ scene }) => findAddedVoice(scene),
  deleteVoice: ({ scene }) => findAddedVoice(scene),
  async deleteTenant({ scene: { server } }) {
    const { tenantId } = await create(server, '/api/tenants', { name: 'Short-lived' })
    return { path: `/api/tenants/${tenantId}` }
  },
  async deleteProvider({ scene: { server } }) {
    const { providerId } = await create(server, '/api/providers', { name: 'Short-lived' })
    return { path: `/api/providers/${providerId}` }
  },
  async deleteSession({ scene: { server } }) {
    const { sessionId } = await logIn(server, OWNER_LOGIN)
    return { path: `/api/auth/sessions/${sessionId}` }
  },
}

async function findAddedVoice({ server, spare }: Scene): Promise<{ readonly path: string }> {
  const { body } = await server.call<{ voiceId: string; name: string }[]>('GET', '/api/voices', {
    query: { workspaceId: spare.workspaceId },
  })
  const added = body.find(({ name }) => name === 'Voice')
  return { path: `/api/voices/${added?.voiceId}` }
}

interface Stage {
  readonly scene: Scene
  readonly models: ModelServer
}

async function create<Body = Readonly<Record<string, string>>>(
  client: ApiClient,
  path: string,
  fields: object,
): Promise<Body> {
  const { status, body } = await client.call<Body>('POST', path, { body: fields })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** Joins a call of a kept workspace and stays until the server stops. */
async function joinCallOf({ server, fourth }: Scene): Promise<string> {
  const body = { agentId: fourth.values.agentId }
  const { call } = await create<{ call: Call }>(server, '/api/v1/calls/web', body)
  return (await joinCall(server.url, call.accessToken ?? '')).callId
}

/** Starts a turn whose model falls silent, and returns the path for canceling it. */
async function startTurn({ server, spare: { workspaceId } }: Scene, models: ModelServer): Promise<string> {
  models.script({ fault: 'hang', after: 'words', words: 1 })
  const { llm_id } = await create(server, '/api/v1/llms', { workspaceId, model: 'openai/slow' })
  const engine = { voice_id: VOICE, response_engine: { type: 'llm', llm_id } }
  const { agent_id } = await create(server, '/api/agents', { workspaceId, ...engine })
  const { chatId } = await create(server, '/api/chats', { workspaceId, agentId: agent_id })
  const { events } = await server.stream('POST', `/api/chats/${chatId}/completions`, {
    body: { workspaceId, content: 'Hello' },
  })
  const { value } = await events.next()
  await events.return()
  return `/api/chats/${chatId}/turns/${value?.data.turn_id}/cancel`
}

async function sendValidRequest(stage: Stage, operation: Operation): Promise<void> {
  const { server, people, spare } = stage.scene
  const isSession = entryOf(operation).row === 'session'
  const answer = await attempt(server, operation, {
    headers: isSession ? cookieOf(server, people.owner) : bearer(people.owner.token),
    ids: spare,
    ...(await SPECIAL_REQUESTS[operation.name]?.(stage)),
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(operation.status)
  // Valid bodies contain no unknown fields.
  expect(answer.headers.get('x-ignored-fields')).toBeNull()
  if (operation.status === 204) expect(answer.body).toBe('')
}

describe.for(IN_ORDER.filter(({ name }) => name !== 'logout'))('$name', (operation) => {
  test('answers a valid request of the owner with its status', async ({ scene, models }) => {
    await sendValidRequest({ scene, models }, operation)
    if (operation.method !== 'DELETE' || operation.name in SPECIAL_REQUESTS) return
    const { server, people, spare } = scene
    // A deleted workspace is only reported as out of reach.
    const again = await server.call('DELETE', validPath(operation, spare), {
      headers: bearer(people.owner.token),
      query: { workspaceId: spare.workspaceId },
    })
    expect(again.status).toBe(operation.name === 'deleteWorkspace' ? 403 : 404)
  })
})

test('logout answers a valid request of the owner with its status', async ({ scene, models }) => {
  for (const operation of ALL) if (operation.name === 'logout') await sendValidRequest({ scene, models }, operation)
  const headers = cookieOf(scene.server, scene.people.owner)
  expect((await scene.server.call('GET', '/api/auth/session', { headers })).status).toBe(401)
})
