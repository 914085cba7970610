import { z } from 'zod'
import { ACTOR_ROLES } from './access.ts'
import { DateTime, id, StringMap } from './fields.ts'
import { defineObject } from './named-object.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** The audit log, which records actors, operations and targets but no content. */

export const AuditLogEntry = defineObject('AuditLogEntry', {
  auditId: z.string(),
  at: DateTime,
  userId: z.string().describe('ID of the user. Empty for failed sign-ins with an unknown e-mail address.'),
  credentialId: z.string().describe('ID of the token, session or link. Empty if there is none.'),
  actorType: z.enum(ACTOR_ROLES).describe('Actor type of the request.'),
  operation: z.string().describe('Name of the operation, such as `createToken`.'),
  target: StringMap.describe('IDs from the request path, and the ID of the created resource.'),
  workspaceId: z.int().nullable().describe('ID of the workspace, or null if there is none.'),
  tenantId: z.string().nullable().describe('ID of the tenant, or null if there is none.'),
  providerId: z.string().nullable().describe('ID of the provider, or null if there is none.'),
  context: z
    .object({
      actorType: z.enum(ACTOR_ROLES).nullable(),
      providerId: z.string().nullable(),
      tenantId: z.string().nullable(),
      workspaceId: z.int().nullable(),
    })
    .describe('Context headers of the request. Headers that were not sent are null.'),
  status: z.int().describe('HTTP status of the response.'),
  requestId: z.string(),
  ip: z.string().describe('IP address of the client.'),
})
export type AuditLogEntry = z.infer<typeof AuditLogEntry>

const AuditLogQuery = pagingQuery(EXTENSION_LIST_LIMIT).extend({
  userId: id().optional().describe('Return only entries for this user.'),
  operation: id().optional().describe('Return only entries for this operation, such as `createToken`.'),
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
    'Returns changes, sign-ins and uses of context headers, newest first. Entries are kept for 400 days. If no ' +
    'workspace is specified, returns all entries that you can administer.',
  access: 'admin',
  workspace: 'optional',
  query: AuditLogQuery,
  result: z.array(AuditLogEntry),
  features: ['paged'],
})
