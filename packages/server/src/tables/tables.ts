import type { CallTables } from './call-tables.ts'
import type { ChatTables } from './chat-tables.ts'
import type { FlowComponentTables } from './flow-component-tables.ts'
import type { KnowledgeTables } from './knowledge-tables.ts'
import type { NumberTables } from './number-tables.ts'
import type { ResourceTables } from './resource-tables.ts'
import type { TenancyTables } from './tenancy-tables.ts'
import type { TestCaseTables } from './test-case-tables.ts'
import type { VoiceTables } from './voice-tables.ts'
import type { WebhookTables } from './webhook-tables.ts'
import type { WorkTables } from './work-tables.ts'

/** Row types of every table, by area in `tables/`. Rows are converted to contract objects in `*-store.ts` only. */
export interface Tables
  extends TenancyTables,
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
