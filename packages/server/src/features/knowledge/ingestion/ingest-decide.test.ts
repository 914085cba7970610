import { describe, expect, test } from 'vitest'
import { decideFailure, decidePageAction, type IngestFailure } from './ingest-decide.ts'

const NOW = Date.UTC(2026, 0, 5, 12)
const SITE = 'https://a.example/'
const goneFailure: IngestFailure = { kind: 'page', ok: false, reason: 'gone', message: 'No page.', retryable: false }
const downFailure: IngestFailure = { kind: 'page', ok: false, reason: 'failed', message: 'Down.', retryable: true }
const refusedFailure: IngestFailure = {
  kind: 'page',
  ok: false,
  reason: 'refused',
  message: 'Robots.',
  retryable: false,
}
const busyFailure: IngestFailure = { kind: 'document', ok: false, message: 'Busy.', retryable: true }

const source = { generation: 0, crawl_path: null, error: null, refreshed_at: null }
const ingestedSource = { ...source, generation: 2, refreshed_at: 1 }
const buildFinalizeDecision = (status: string, error: string) => ({ type: 'finalize', changes: { status, error } })

describe('a source that could not be read', () => {
  test.each([
    [source, downFailure, 4, { type: 'retry' }],
    [source, downFailure, 5, buildFinalizeDecision('error', 'Down.')],
    [source, busyFailure, 2, { type: 'retry' }],
    [source, busyFailure, 3, buildFinalizeDecision('error', 'Busy.')],
    [source, refusedFailure, 1, buildFinalizeDecision('error', 'Robots.')],
    [source, goneFailure, 1, { type: 'finalize', changes: { status: 'error', error: 'No page.', refreshed_at: NOW } }],
    [{ ...source, crawl_path: SITE }, refusedFailure, 1, buildFinalizeDecision('error', 'Robots.')],
    [{ ...source, crawl_path: SITE, refreshed_at: 1 }, goneFailure, 1, { type: 'remove' }],
    [{ ...ingestedSource, crawl_path: SITE }, goneFailure, 1, { type: 'remove' }],
    [{ ...ingestedSource, crawl_path: SITE }, downFailure, 9, buildFinalizeDecision('ready', 'Down.')],
    [ingestedSource, refusedFailure, 1, buildFinalizeDecision('ready', 'Robots.')],
    [ingestedSource, goneFailure, 1, buildFinalizeDecision('ready', 'Gone since 2026-01-05: No page.')],
    [
      { ...ingestedSource, error: 'Gone since 2025-12-24: No.' },
      goneFailure,
      1,
      buildFinalizeDecision('ready', 'Gone since 2025-12-24: No page.'),
    ],
    [
      { ...ingestedSource, error: 'Down.' },
      goneFailure,
      1,
      buildFinalizeDecision('ready', 'Gone since 2026-01-05: No page.'),
    ],
  ])('%o, %o, attempt %i', (failedSource, failure, attempt, expected) => {
    expect(decideFailure(failedSource, failure, { attempt, now: NOW })).toEqual(expected)
  })
})

describe('a redirected page of a site', () => {
  const movedPage = {
    identity: 'url:a',
    finalIdentity: 'url:b',
    isFirstPage: false,
    isTargetWithinSite: true,
    conflict: null,
  }
  test.each([
    [{ ...movedPage, finalIdentity: 'url:a' }, 'keep'],
    [movedPage, 'move'],
    [{ ...movedPage, isTargetWithinSite: false }, 'drop'],
    [{ ...movedPage, conflict: 'same-site' as const }, 'drop'],
    [{ ...movedPage, conflict: 'other-site' as const }, 'drop'],
    [{ ...movedPage, isFirstPage: true }, 'move'],
    [{ ...movedPage, isFirstPage: true, isTargetWithinSite: false }, 'keep'],
    [{ ...movedPage, isFirstPage: true, conflict: 'other-site' as const }, 'keep'],
    [{ ...movedPage, isFirstPage: true, conflict: 'same-site' as const }, 'drop'],
  ])('%o: %s', (page, expected) => expect(decidePageAction(page)).toBe(expected))
})
