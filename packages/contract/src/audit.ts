import { z } from 'zod'
import { ACTOR_ROLES } from './access.ts'
import { DateTime, id, StringMap } from './fields.ts'
import { namedObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** The audit log: actors, operations and targets, without contents. */

export const AuditLogEntry = namedObject('AuditLogEntry', {
  auditId: z.string(),
  at: DateTime,
  userId: z.string().describe('ID of the user; empty for failed sign-ins with an unknown e-mail address.'),
  credentialId: z.string().describe('ID of the token, session or link; empty without one.'),
  actorType: z.enum(ACTOR_ROLES).describe('Actor type of the request.'),
  operation: z.string().describe('Name of the operation, such as `createToken`.'),
  target: StringMap.describe('IDs in the path, and the ID of the created resource.'),
  workspaceId: z.int().nullable().describe('ID of the workspace, or null.'),
  tenantId: z.string().nullable().describe('ID of the tenant, or null.'),
  providerId: z.string().nullable().describe('ID of the provider, or null.'),
  context: z
    .object({
      actorType: z.enum(ACTOR_ROLES).nullable(),
      providerId: z.string().nullable(),
      tenantId: z.string().nullable(),
      workspaceId: z.int().nullable(),
    })
    .describe('Context headers of the request; null where not sent.'),
  status: z.int().describe('HTTP status of the response.'),
  requestId: z.string(),
  ip: z.string().describe('IP address of the client.'),
})
export type AuditLogEntry = z.infer<typeof AuditLogEntry>

const AuditLogQuery = pagingQuery(EXTENSION_LIST_LIMIT).extend({
  userId: id().optional().describe('Only actions of this user.'),
  operation: id().optional().describe('Only this operation, such as `createToken`.'),
  startDate: StartDate.optional(),
  endDate: EndDate.optional(),
})
export type AuditLogQuery = z.output<typeof AuditLogQuery>

export const listAuditLog = defineOperation({
  name: 'listAuditLog',
  route: 'GET /api/audit-log',
  tag: 'Account',
  summary: 'List audit log entries',
  description:
    'Returns changes, sign-ins and uses of context headers, newest first. Entries are kept for 400 days. Without ' +
    'a workspace, returns all entries that you administer.',
  access: 'admin',
  workspace: 'optional',
  query: AuditLogQuery,
  result: z.array(AuditLogEntry),
  features: ['paged'],
})
