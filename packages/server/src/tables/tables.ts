import type { CallTables } from './call-tables.ts'
import type { ChatTables } from './chat-tables.ts'
import type { KnowledgeTables } from './knowledge-tables.ts'
import type {
  FlowComponentTables,
  NumberTables,
  ResourceTables,
  TestCaseTables,
  VoiceTables,
} from './resource-tables.ts'
import type { TenancyTables } from './tenancy-tables.ts'
import type { WebhookTables } from './webhook-tables.ts'
import type { WorkTables } from './work-tables.ts'

/** Row types of every table, by area in `tables/`. Only `*-store.ts` files convert rows to contract objects. */
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
