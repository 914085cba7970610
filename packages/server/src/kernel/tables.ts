import type { AccountTables } from './tables/account-tables.ts'
import type { CallTables } from './tables/call-tables.ts'
import type { ChatTables } from './tables/chat-tables.ts'
import type { FlowComponentTables } from './tables/flow-component-tables.ts'
import type { KnowledgeTables } from './tables/knowledge-tables.ts'
import type { NumberTables } from './tables/number-tables.ts'
import type { ResourceTables } from './tables/resource-tables.ts'
import type { TestCaseTables } from './tables/test-case-tables.ts'
import type { VoiceTables } from './tables/voice-tables.ts'
import type { WebhookTables } from './tables/webhook-tables.ts'
import type { WorkTables } from './tables/work-tables.ts'

/** Row types of every table, by area in `tables/`. Rows are converted to contract objects in `*-store.ts` only. */
export interface Tables
  extends AccountTables,
    ResourceTables,
    ChatTables,
    WorkTables,
    FlowComponentTables,
    NumberTables,
    VoiceTables,
    TestCaseTables,
    CallTables,
    WebhookTables,
    KnowledgeTables {}
