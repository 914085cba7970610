import type { Mutation } from './mutation.ts'

const area = 'rights'
const SERVER = 'packages/server/src'

/** Faults in access rights. */
export const RIGHTS: readonly Mutation[] = [
  {
    id: 'viewer-may-edit',
    area,
    behavior: 'A viewer of a workspace changes and deletes what is in it.',
    before: {
      file: `${SERVER}/kernel/actor.ts`,
      find: 'hasScopeAndRole(actor, right) && isLevelAtLeast(reached.level, RIGHTS[right].level)',
      replace: 'hasScopeAndRole(actor, right)',
    },
    after: {
      file: `${SERVER}/kernel/access/actor.ts`,
      find: 'isLevelAtLeast(workspaceAccess.level, RIGHTS[right].level)',
      replace: 'true',
    },
  },
  {
    id: 'revoked-token-works',
    area,
    behavior: 'A revoked token still works.',
    before: {
      file: `${SERVER}/features/access/credential-store.ts`,
      find: "    .where('revoked_at', 'is', null),\n",
      replace: '',
    },
  },
  {
    id: 'expired-token-works',
    area,
    behavior: 'A token works after it has expired.',
    before: {
      file: `${SERVER}/features/access/access-service.ts`,
      find: '      if (credential.expiresAt !== null && credential.expiresAt <= now) return null\n',
      replace: '',
    },
  },
  {
    id: 'limited-token-administers',
    area,
    behavior: 'A token that an administrator limited to one workspace still administers the account.',
    before: {
      file: `${SERVER}/kernel/actor-rights.ts`,
      find: "return { ...actor, role: 'end_user', providerId: null, accountSid: null, workspaces }",
      replace: 'return { ...actor, workspaces }',
    },
    after: {
      file: `${SERVER}/kernel/access/actor.ts`,
      find: "return { ...actor, role: 'end_user', providerId: null, accountSid: null, workspaces }",
      replace: 'return { ...actor, workspaces }',
    },
  },
  {
    id: 'foreign-chats-listed',
    area,
    behavior: 'The list of chats shows those of other workspaces.',
    before: {
      file: `${SERVER}/features/chats/chat-store.ts`,
      find: "reader.selectFrom('chats').selectAll().where('workspace_id', '=', workspaceId)",
      replace: "reader.selectFrom('chats').selectAll()",
    },
    slowTests: ['test/full/access.test.ts'],
  },
  {
    id: 'tenant-header-does-not-narrow',
    area,
    behavior: 'A request that names a tenant in its header reaches the workspaces of other tenants.',
    before: {
      file: `${SERVER}/kernel/actor-context.ts`,
      find: '    if (tenantId !== null && accountSid !== tenantId) continue\n',
      replace: '',
    },
    after: {
      file: `${SERVER}/kernel/access/actor-context.ts`,
      find: '    if (tenantId !== null && accountSid !== tenantId) continue\n',
      replace: '',
    },
  },
  {
    id: 'token-makes-wider-token',
    area,
    behavior: 'A read-only token creates a token that may write.',
    before: {
      file: `${SERVER}/features/tokens/plan-token.ts`,
      find: 'request.scopes?.find((scope) => !scopes.has(scope))',
      replace: 'request.scopes?.find((scope) => !SCOPES.includes(scope))',
    },
  },
  {
    id: 'stale-rights-cached',
    area,
    behavior: 'A token that is revoked while a request reads it works for seconds more.',
    before: {
      file: `${SERVER}/features/access/access-service.ts`,
      find: 'if (key.length > MAX_CACHED_LENGTH || startedGeneration !== generation) return found',
      replace: 'if (key.length > MAX_CACHED_LENGTH) return found',
    },
    after: {
      file: `${SERVER}/features/access/access-service.ts`,
      find: 'if (key.length > MAX_CACHED_LENGTH || startedGeneration !== this.#generation) return entry',
      replace: 'if (key.length > MAX_CACHED_LENGTH) return entry',
    },
  },
]
