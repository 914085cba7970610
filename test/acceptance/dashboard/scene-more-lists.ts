import type { Page } from 'playwright-core'
import type { NodeDatabase } from '../../../packages/server/src/platform/database/node-database.ts'
import { seedCalls } from '../../../testing/seed-calls.ts'
import { findRows, insertRows } from '../../../testing/server-database.ts'
import type { ListParents } from './scene-list-parents.ts'
import { callAt, copyRows, idOf } from './scene-rows.ts'

/** A short list in a page with a button to show more. */
export interface MoreListKind {
  readonly name: string
  /** Dashboard file that reads the list, relative to `src`. */
  readonly source: string
  path(parents: ListParents): string
  /** Opens the container of the list. */
  open?(page: Page): Promise<unknown>
  /** CSS selector of the rows. */
  readonly rows: string
  /** Label of the button, or null for a fixed number of rows. */
  readonly more: string | null
  addRows(database: NodeDatabase, count: number, parents: ListParents): Promise<void>
}

export const MORE_LISTS: readonly MoreListKind[] = [
  {
    name: 'calls that are live',
    source: 'features/calls/calls-screen.tsx',
    path: ({ workspaceId }) => `/${workspaceId}/calls`,
    rows: 'main ul[aria-label="Live calls"] > li',
    more: null,
    addRows: (database, count, { workspaceId }) =>
      seedCalls(
        database,
        Array.from({ length: count }, (_, index) => ({
          ...callAt(index),
          call_id: idOf('call', 5_000_000 + index),
          workspace_id: workspaceId,
          status: 'ongoing',
          ended_at: null,
          duration_ms: null,
        })),
      ),
  },
  {
    name: 'logins',
    source: 'features/profile/sessions-panel.tsx',
    path: () => '/1/profile',
    rows: 'main section:has(> div h2:text("Sessions")) li',
    more: 'Show more',
    async addRows(database, count) {
      const [owner] = await findRows(database, 'users', { email: 'owner@example.com' })
      await copyRows(database, { table: 'sessions', count, like: { user_id: owner?.['user_id'] } }, (_row, index) => ({
        session_id: idOf('session', index),
        token_hash: `hash ${index}`,
      }))
    },
  },
  {
    name: 'administrators',
    source: 'features/workspaces/administrators.tsx',
    path: () => '/1/workspaces?tab=providers',
    async open(page) {
      await page.getByRole('button', { name: 'Actions for Default', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Administrators…' }).click()
    },
    rows: '[role=dialog] ul > li',
    more: 'Show more',
    async addRows(database, count) {
      const [provider] = await findRows(database, 'providers', { slug: 'default' })
      await copyRows(database, { table: 'users', count, like: { email: 'owner@example.com' } }, (_row, index) => ({
        user_id: idOf('user', 5_000_000 + index),
        email: `reseller-${index}@example.com`,
        role: 'provider_admin',
        provider_id: provider?.['provider_id'],
      }))
    },
  },
  {
    name: 'passages of a source',
    source: 'features/knowledge/passages-dialog.tsx',
    path: ({ workspaceId, knowledgeBaseId }) => `/${workspaceId}/knowledge/${knowledgeBaseId}?status=ready`,
    async open(page) {
      await page
        .getByRole('button', { name: /^Show [\d,]+ passages$/ })
        .first()
        .click()
    },
    rows: '[role=dialog] ol > li',
    more: 'Show more',
    async addRows(database, count, { knowledgeBaseId }) {
      const [source] = await findRows(database, 'knowledge_sources', {
        knowledge_base_id: knowledgeBaseId,
        title: 'Hours',
      })
      const sourceId = source?.['source_id']
      const like = { source_id: sourceId }
      const [chunk] = await findRows(database, 'knowledge_chunks', like)
      const chunks = Array.from({ length: count }, (_, index) => ({ ...chunk, position: index + 1 }))
      await insertRows(database, 'knowledge_chunks', chunks)
      await database.transaction((transaction) =>
        transaction
          .updateTable('knowledge_sources')
          .set({ chunk_count: count + 1 })
          .where('source_id', '=', String(sourceId))
          .execute(),
      )
    },
  },
  {
    name: 'turns of a chat',
    source: 'features/chats/turns-panel.tsx',
    path: ({ workspaceId, chatId }) => `/${workspaceId}/chats/${chatId}`,
    open: (page) => page.getByText('Decision trace').click(),
    rows: 'main details[open] > div > ol > li',
    more: 'Older turns',
    async addRows(database, count, { chatId }) {
      await insertRows(
        database,
        'turns',
        Array.from({ length: count }, (_, index) => ({
          ...TURN_ROW,
          turn_id: idOf('turn', index),
          chat_id: chatId,
          position: index,
        })),
      )
    },
  },
]

const NOW = Date.now()

const TURN_ROW = {
  ...{ status: 'completed', user_message_id: idOf('message', 1), idempotency_hash: null, error_code: null },
  ...{ error_message: null, usage: '[]', explanation: '[]', first_text_ms: 20, event_count: 3, state: null },
  ...{ node_id: null, started_at: NOW, ended_at: NOW },
}
