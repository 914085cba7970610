import { z } from 'zod'
import { ACTOR_ROLES } from './access.ts'
import { DateTime, id, StringMap } from './fields.ts'
import { defineOperation } from './operation.ts'
import { EXTENSION_LIST_LIMIT, pagingQuery } from './pagination.ts'
import { EndDate, StartDate } from './query-dates.ts'

/** The audit log: who did what and to what, never its content. */

export const AuditLogEntry = z
  .object({
    auditId: z.string(),
    at: DateTime,
    userId: z.string().meta({ description: 'Empty for a login with an e-mail address that nobody has.' }),
    credentialId: z.string().meta({ description: 'The token, login or link that was used; empty without one.' }),
    actorType: z.enum(ACTOR_ROLES).meta({ description: 'What it acted as.' }),
    operation: z.string().meta({ description: 'Name of the operation, such as `createToken`.' }),
    target: StringMap.meta({ description: 'The ids that the path named.' }),
    workspaceId: z.int().nullable().meta({ description: 'The workspace that it was about; null for none.' }),
    tenantId: z.string().nullable().meta({ description: 'The tenant that it was about; null for none.' }),
    providerId: z.string().nullable().meta({ description: 'The provider that it was done in; null for none.' }),
    context: z
      .object({
        actorType: z.enum(ACTOR_ROLES).nullable(),
        providerId: z.string().nullable(),
        tenantId: z.string().nullable(),
        workspaceId: z.int().nullable(),
      })
      .meta({ description: 'The context headers as given; all null without any.' }),
    status: z.int().meta({ description: 'The HTTP status that was answered.' }),
    requestId: z.string(),
    ip: z.string().meta({ description: 'Address that the request came from.' }),
  })
  .meta({ id: 'AuditLogEntry' })
export type AuditLogEntry = z.infer<typeof AuditLogEntry>

const AuditLogQuery = pagingQuery(EXTENSION_LIST_LIMIT).extend({
  userId: id().optional().meta({ description: 'Only what this person did.' }),
  operation: id().optional().meta({ description: 'Name of an operation, such as `createToken`.' }),
  startDate: StartDate.optional(),
  endDate: EndDate.optional(),
})
export type AuditLogQuery = z.output<typeof AuditLogQuery>

export const listAuditLog = defineOperation({
  name: 'listAuditLog',
  method: 'GET',
  path: '/api/audit-log',
  tag: 'Account',
  summary: 'List what was done',
  description:
    'Changes, logins and every use of context headers, newest first, kept for 400 days. Without a workspace: all that ' +
    'the caller administers.',
  access: 'admin',
  workspace: 'optional',
  query: AuditLogQuery,
  status: 200,
  result: z.array(AuditLogEntry),
  features: ['paged'],
})
