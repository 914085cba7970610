import { randomUUID } from 'node:crypto'
import { MAX_WEBHOOKS } from '@parley/contract/webhook'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import { findRows, insertRows, withDatabase } from '../../../testing/server-database.ts'
import { senderOf } from '../../full/dashboard/scene-records.ts'
import { at, IN_WORKSPACE, isNeedle, type ListKind, none } from './scene-list-kind.ts'
import { copyRows, idOf } from './scene-rows.ts'

const DAY_MS = 86_400_000

/** Lists of account settings and administration. */
export const ACCOUNT_LISTS: readonly ListKind[] = [
  {
    name: 'webhooks',
    source: 'features/webhooks/webhooks-screen.tsx',
    path: at('webhooks'),
    most: MAX_WEBHOOKS,
    toItsEnd: true,
    makeOne: (server) =>
      senderOf(server)('POST', '/api/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['call_ended'] }),
    addRows: (database, count) =>
      copyRows(database, { table: 'webhooks', count, like: IN_WORKSPACE }, (_row, index) => ({
        webhook_id: idOf('webhook', index),
      })),
  },
  {
    name: 'deliveries',
    source: 'features/webhooks/deliveries-screen.tsx',
    path: at('webhooks/deliveries'),
    toItsEnd: true,
    hasNoAction: true,
    makeOne: (server) =>
      withDatabase(server, async (database) => {
        await insertRows(database, 'webhook_events', [EVENT_ROW])
        await insertRows(database, 'webhook_deliveries', [DELIVERY_ROW])
      }),
    addRows: (database, count) =>
      copyRows(database, { table: 'webhook_deliveries', count, like: IN_WORKSPACE }, (_row, index) => ({
        delivery_id: idOf('delivery', index),
        target: `hook ${index}`,
        position: index + 1,
        status: isNeedle(index) ? 'failed' : 'delivered',
      })),
    narrow: (page) => page.getByLabel('Status', { exact: true }).selectOption('failed'),
  },
  {
    name: 'tokens',
    source: 'features/tokens/tokens-screen.tsx',
    path: at('tokens'),
    neverEmpty: true,
    makeOne: (server) => senderOf(server)('POST', '/api/tokens', { name: 'Diary', scopes: ['read'] }),
    addRows: (database, count) =>
      copyRows(database, { table: 'api_tokens', count, like: { name: 'Diary' } }, (_row, index) => ({
        token_id: idOf('token', index),
        token_hash: randomUUID(),
      })),
  },
  {
    name: 'audit log',
    source: 'features/audit/audit-log-screen.tsx',
    path: at('audit-log'),
    neverEmpty: true,
    makeOne: none,
    addRows: (database, count) =>
      copyRows(database, { table: 'audit_entries', count, like: IN_WORKSPACE, age: 'at' }, ({ at: newest }, index) => ({
        audit_id: idOf('audit', index),
        ...(isNeedle(index) && { at: Number(newest) - 300 * DAY_MS }),
      })),
    narrow: (page) =>
      page.getByLabel('To', { exact: true }).fill(new Date(Date.now() - 200 * DAY_MS).toISOString().slice(0, 10)),
  },
  {
    name: 'members',
    source: 'features/team/team-screen.tsx',
    path: at('team'),
    neverEmpty: true,
    makeOne: (server) =>
      senderOf(server)('POST', `/api/workspaces/${server.workspaceId}/members`, {
        email: 'mara@example.com',
        name: 'Mara',
        role: 'editor',
      }),
    addRows: (database, count) =>
      copyRows(database, { table: 'invitations', count, like: IN_WORKSPACE }, (_row, index) => ({
        invitation_id: idOf('link', index),
        token_hash: null,
        user_id: idOf('user', index),
        email: `mara-${index}@example.com`,
      })),
  },
  {
    name: 'provider keys',
    source: 'features/provider-keys/provider-keys-screen.tsx',
    path: at('provider-keys'),
    makeOne: (server) =>
      senderOf(server)('POST', '/api/provider-keys', { service: 'cartesia', apiKey: 'sk-0123456789' }),
    async addRows(database, count) {
      await addWorkspaces(database, count)
      await copyRows(database, { table: 'provider_keys', count, like: IN_WORKSPACE }, (_row, index) => ({
        provider_key_id: idOf('key', index),
        workspace_id: FIRST_WORKSPACE + index,
      }))
    },
    narrow: (page) => page.getByLabel('Key owner').selectOption('workspace'),
  },
  {
    name: 'secrets',
    source: 'features/secrets/secrets-screen.tsx',
    path: at('secrets'),
    most: 100,
    makeOne: (server) => senderOf(server)('PUT', '/api/workspace-secrets/crm_key', { value: 'sk-0123456789' }),
    addRows: (database, count) =>
      copyRows(database, { table: 'workspace_secrets', count, like: IN_WORKSPACE }, (_row, index) => ({
        name: `secret_${index}`,
      })),
  },
  {
    // The provider keys list adds the rows.
    name: 'workspaces',
    source: 'features/workspaces/workspace-list.tsx',
    path: at('workspaces'),
    neverEmpty: true,
    makeOne: none,
    addRows: none,
    // The server caches the workspaces of a person until one is created or deleted.
    tell: (server) => server.call('POST', '/api/workspaces', { body: { name: 'One more shop' } }),
  },
  {
    name: 'accounts',
    source: 'features/workspaces/tenant-list.tsx',
    path: at('workspaces?tab=tenants'),
    neverEmpty: true,
    makeOne: none,
    async addRows(database, count) {
      const [workspace] = await findRows(database, 'workspaces', IN_WORKSPACE)
      const like = { account_sid: workspace?.['account_sid'] }
      await copyRows(database, { table: 'tenants', count, like }, (_row, index) => ({
        account_sid: randomUUID(),
        account_path: `/default/customer-${index}`,
        name: `Customer ${index}`,
      }))
    },
  },
  {
    name: 'providers',
    source: 'features/workspaces/provider-list.tsx',
    path: at('workspaces?tab=providers'),
    neverEmpty: true,
    makeOne: none,
    addRows: (database, count) =>
      copyRows(database, { table: 'providers', count, like: { slug: 'default' } }, (_row, index) => ({
        provider_id: idOf('reseller', index),
        slug: `reseller-${index}`,
        name: `Reseller ${index}`,
      })),
  },
]

const FIRST_WORKSPACE = 1_000

async function addWorkspaces(database: NodeDatabase, count: number): Promise<void> {
  await copyRows(database, { table: 'workspaces', count, like: IN_WORKSPACE }, (_row, index) => ({
    workspace_id: FIRST_WORKSPACE + index,
    name: `Shop ${index}`,
  }))
}

const NOW = Date.now()

const OF_EVENT = { workspace_id: 1, event_id: idOf('event', 0), event: 'call_ended', subject_kind: 'call' }
const EVENT_ROW = {
  ...{ ...OF_EVENT, subject_id: idOf('call', 1), position: 0 },
  ...{ body: '{}', untold_since: null, created_at: NOW },
}
const DELIVERY_ROW = {
  ...{ ...OF_EVENT, subject_id: idOf('call', 1), position: 0, delivery_id: idOf('delivery', 1_000_000) },
  ...{ target: 'hook', webhook_id: null, url: 'http://127.0.0.1:9/hook', timeout_ms: 10_000, status: 'delivered' },
  ...{ attempts: 1, tries: 1, due_at: null, leased_by: null, blocking_position: null, created_at: NOW, ended_at: NOW },
}
