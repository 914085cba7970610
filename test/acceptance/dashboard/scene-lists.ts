import { MAX_SOURCES } from '@parley/contract/knowledge-source'
import type { ServerClient } from '../../../testing/running-server.ts'
import { seedCalls } from '../../../testing/seed-calls.ts'
import { insertRows, withDatabase } from '../../../testing/server-database.ts'
import { senderOf, VOICE } from '../../full/dashboard/scene-records.ts'
import { ACCOUNT_LISTS } from './scene-account-lists.ts'
import { at, IN_WORKSPACE, isNeedle, type ListKind, none } from './scene-list-kind.ts'
import { addVersions, callAt, copyResource, copyRows, FLOW, idOf } from './scene-rows.ts'

const OTHER_NUMBER = '+15557654321'

const versions = (
  feature: string,
  idName: 'agentId' | 'chatAgentId' | 'llmId' | 'flowId',
  source: string,
): ListKind => ({
  name: `versions of ${feature}`,
  source: `features/${source}`,
  path: (parents) => `/${parents.workspaceId}/${feature}/${parents[idName]}/versions`,
  neverEmpty: true,
  makeOne: none,
  addRows: (database, count, parents) => addVersions(database, parents[idName], count),
})

const resource = (path: string, kind: string, one: Pick<ListKind, 'source' | 'makeOne'>): ListKind => ({
  ...one,
  name: path,
  path: at(path),
  opens: true,
  addRows: (database, count) => copyResource(database, kind, count),
})

async function makeAgent(server: ServerClient, path: string, settings: object): Promise<unknown> {
  const send = senderOf(server)
  const { llm_id } = await send('POST', '/api/v1/llms', { display_name: 'Engine' })
  const engine = { type: 'llm', llm_id }
  return await send('POST', path, { agent_name: 'Front desk', response_engine: engine, ...settings })
}

/** Every list of the dashboard. Lists that others need come first; lists that fill others come last. */
export const LISTS: readonly ListKind[] = [
  resource('llms', 'llm', {
    source: 'features/llms/llms-screen.tsx',
    makeOne: (server) => senderOf(server)('POST', '/api/v1/llms', { display_name: 'Front desk' }),
  }),
  resource('agents', 'agent', {
    source: 'features/agents/agents-screen.tsx',
    makeOne: (server) => makeAgent(server, '/api/agents', { voice_id: VOICE }),
  }),
  resource('chat-agents', 'chat-agent', {
    source: 'features/chat-agents/chat-agents-screen.tsx',
    makeOne: (server) => makeAgent(server, '/api/chat-agents', {}),
  }),
  resource('flows', 'conversation-flow', {
    source: 'features/flows/flows-screen.tsx',
    makeOne: (server) => senderOf(server)('POST', '/api/conversation-flows', FLOW),
  }),
  versions('agents', 'agentId', 'agents/agent-versions-screen.tsx'),
  versions('chat-agents', 'chatAgentId', 'chat-agents/chat-agent-versions-screen.tsx'),
  versions('llms', 'llmId', 'llms/llm-versions-screen.tsx'),
  versions('flows', 'flowId', 'flows/flow-versions-screen.tsx'),
  {
    name: 'knowledge bases',
    source: 'features/knowledge/knowledge-bases-screen.tsx',
    path: at('knowledge'),
    opens: true,
    makeOne: (server) => senderOf(server)('POST', '/api/knowledge-bases', { name: 'Handbook' }),
    addRows: (database, count) =>
      copyRows(database, { table: 'knowledge_bases', count, like: IN_WORKSPACE }, (_row, index) => ({
        knowledge_base_id: idOf('kb', index),
      })),
  },
  {
    name: 'sources of a knowledge base',
    source: 'features/knowledge/source-list.tsx',
    path: ({ workspaceId, knowledgeBaseId }) => `/${workspaceId}/knowledge/${knowledgeBaseId}`,
    // The controls that add sources are above the list.
    hasNoAction: true,
    most: MAX_SOURCES,
    toItsEnd: true,
    makeOne: (server, { workspaceId, knowledgeBaseId }) =>
      senderOf(server)('POST', `/api/knowledge-bases/${knowledgeBaseId}/sources`, {
        workspaceId,
        sources: [{ title: 'Hours', text: 'Open on Saturdays.' }],
      }),
    addRows: (database, count, { knowledgeBaseId }) =>
      copyRows(
        database,
        { table: 'knowledge_sources', count, like: { knowledge_base_id: knowledgeBaseId } },
        (_row, index) => ({
          source_id: idOf('source', index),
          identity: `source ${index}`,
          status: isNeedle(index) ? 'error' : 'ready',
        }),
      ),
    narrow: (page) => page.getByLabel('Status', { exact: true }).selectOption('error'),
  },
  {
    name: 'test cases',
    source: 'features/test-cases/test-cases-screen.tsx',
    path: at('test-cases'),
    opens: true,
    async makeOne(server) {
      const send = senderOf(server)
      const { llm_id } = await send('POST', '/api/v1/llms', { display_name: 'Tested' })
      await send('POST', '/api/test-case-definitions', { llm_id, name: 'Flat tire' })
    },
    addRows: (database, count) =>
      copyRows(database, { table: 'test_cases', count, like: IN_WORKSPACE }, (_row, index) => ({
        test_case_id: idOf('test_case', index),
        ...(isNeedle(index) && { engine_kind: 'conversation-flow' }),
      })),
    narrow: (page) => page.getByLabel('Type', { exact: true }).selectOption('conversation-flow'),
  },
  {
    name: 'numbers',
    source: 'features/numbers/numbers-screen.tsx',
    path: at('numbers'),
    opens: true,
    makeOne: (server) => senderOf(server)('POST', '/api/numbers', { number: '+14155550112' }),
    addRows: (database, count) =>
      copyRows(database, { table: 'phone_numbers', count, like: IN_WORKSPACE }, (_row, index) => ({
        number_id: 1_000 + index,
        number: `+4930${5_000_000 + index}`,
        base_number: `4930${5_000_000 + index}`,
      })),
  },
  {
    name: 'voices',
    source: 'features/voices/voices-screen.tsx',
    path: at('voices'),
    neverEmpty: true,
    makeOne: (server) => withDatabase(server, (database) => insertRows(database, 'voices', [VOICE_ROW])),
    addRows: (database, count) =>
      copyRows(database, { table: 'voices', count, like: IN_WORKSPACE }, (_row, index) => ({
        voice_id: idOf('voice', index),
        provider_voice_id: `voice ${index}`,
        account_voice_id: `voice ${index}`,
        name: isNeedle(index) ? 'Needle' : `Voice ${index}`,
      })),
    narrow: (page) => page.getByRole('searchbox').fill('Needle'),
  },
  {
    name: 'chats',
    source: 'features/chats/chats-screen.tsx',
    path: at('chats'),
    opens: true,
    async makeOne(server) {
      const { body: agents } = await server.call<{ agent_id: string }[]>('GET', '/api/agents', {
        query: { workspaceId: server.workspaceId },
      })
      await senderOf(server)('POST', '/api/chats', { agentId: agents[0]?.agent_id })
    },
    addRows: (database, count) =>
      copyRows(database, { table: 'chats', count, like: IN_WORKSPACE, age: 'started_at' }, (_row, index) => ({
        chat_id: idOf('chat', index),
        ...(isNeedle(index) && { status: 'error' }),
      })),
    narrow: (page) => page.getByLabel('Status', { exact: true }).selectOption('error'),
  },
  {
    name: 'calls',
    source: 'features/calls/call-history.tsx',
    path: at('calls'),
    opens: true,
    pages: true,
    makeOne: (server) => withDatabase(server, (database) => seedCalls(database, [callAt(0)])),
    addRows: (database, count) =>
      seedCalls(
        database,
        Array.from({ length: count }, (_, index) => ({
          ...callAt(index + 1),
          // One per agent, because usage displays agent names.
          agent_id: idOf('agent', index),
          ...(isNeedle(index) && { from_number: OTHER_NUMBER }),
        })),
      ),
    narrow: (page) => page.getByRole('searchbox').fill(OTHER_NUMBER),
  },
  {
    // The calls list adds the rows.
    name: 'usage of each agent',
    source: 'features/usage/usage-screen.tsx',
    path: at('usage?groupBy=agent'),
    neverEmpty: true,
    hasNoKeys: true,
    makeOne: none,
    addRows: none,
  },
  ...ACCOUNT_LISTS,
]

const NOW = Date.now()

const VOICE_ROW = {
  ...{ voice_id: idOf('voice', 1_000_000), workspace_id: 1, provider: 'elevenlabs', provider_voice_id: 'nora' },
  ...{ account_voice_id: 'nora', public_user_id: null, name: 'Nora', gender: 'female', language: 'en', accent: null },
  ...{ description: 'Calm.', preview_url: null, tags: '[]', created_at: NOW, updated_at: NOW },
}
