import type { Mutation } from './mutation.ts'

const area = 'storage'
const SERVER = 'packages/server/src'

/** Faults in transactions, jobs and their leases, versions, idempotency keys and caches. */
export const STORAGE: readonly Mutation[] = [
  {
    id: 'half-a-batch-stays',
    area,
    behavior: 'Of a batch that was refused, the statements before the refusal stay in the database.',
    before: {
      file: `${SERVER}/platform/database/writer.ts`,
      find: "    if (failure !== null) this.#run('rollback to batch')\n",
      replace: '',
    },
  },
  {
    id: 'job-runs-once-too-often',
    area,
    behavior: 'A job that kills its process runs once more than its attempts allow.',
    before: {
      file: `${SERVER}/platform/queue/job-store.ts`,
      find: "isExhausted ? '>=' : '<'",
      replace: "isExhausted ? '>' : '<='",
    },
  },
  {
    id: 'restart-uses-up-attempts',
    area,
    behavior: 'Each restart takes an attempt from the jobs that it hands back, until they fail.',
    before: {
      file: `${SERVER}/platform/queue/job-store.ts`,
      find: "change(job, { status: 'pending', attempts: job.attempt - 1 })",
      replace: "change(job, { status: 'pending', attempts: job.attempt })",
    },
    after: {
      file: `${SERVER}/platform/queue/job-store.ts`,
      find: "buildChange(job, { status: 'pending', attempts: job.attempt - 1 })",
      replace: "buildChange(job, { status: 'pending', attempts: job.attempt })",
    },
  },
  {
    id: 'stale-read-cached',
    area,
    behavior: 'An agent that was changed while it was read stays as it was until the next change.',
    before: {
      file: `${SERVER}/kernel/read-cache.ts`,
      find: 'storeEntry(key, { value, changeCount, characters',
      replace: 'storeEntry(key, { value, changeCount: database.changeCount(tables), characters',
    },
    after: {
      file: `${SERVER}/kernel/storage/read-cache.ts`,
      find: 'storeEntry(key, { value, changeCount, characters',
      replace: 'storeEntry(key, { value, changeCount: database.getChangeCount(tables), characters',
    },
  },
  {
    id: 'frozen-version-edited-silently',
    area,
    behavior: 'Whoever edits a frozen version by its number makes a next version instead of being refused.',
    before: {
      file: `${SERVER}/kernel/versions.ts`,
      find: '(requested < latestVersion.version || latestVersion.frozen)',
      replace: 'requested < newest.version',
    },
    after: {
      file: `${SERVER}/kernel/versions/versions.ts`,
      find: '(requestedVersion < latestVersion.version || latestVersion.frozen)',
      replace: 'requestedVersion < latestVersion.version',
    },
  },
  {
    id: 'draft-goes-live',
    area,
    behavior: 'New conversations use the draft instead of the published version.',
    before: {
      file: `${SERVER}/kernel/version-store.ts`,
      find: ' and published.published_at is not null',
      replace: '',
    },
    after: {
      file: `${SERVER}/kernel/versions/version-store.ts`,
      find: ' and published.published_at is not null',
      replace: '',
    },
  },
  {
    id: 'retry-runs-beside-request',
    area,
    behavior: 'A retry with the same idempotency key runs while the first request is still running.',
    before: {
      file: `${SERVER}/http/idempotency.ts`,
      find: "                  where('idempotency_keys.lease_until', '<=', now),\n",
      replace: '',
    },
    after: {
      file: `${SERVER}/http/idempotency.ts`,
      find: "                where('idempotency_keys.lease_until', '<=', now),\n",
      replace: '',
    },
  },
  {
    id: 'internal-error-kept-for-a-day',
    area,
    behavior: 'A request that failed by an error of the server fails again for a day when it is retried.',
    before: {
      file: `${SERVER}/http/idempotency.ts`,
      find: 'answer === null || answer.status >= 500',
      replace: 'answer === null',
    },
    after: {
      file: `${SERVER}/http/idempotency.ts`,
      find: 'response === null || response.status >= 500',
      replace: 'response === null',
    },
  },
]
