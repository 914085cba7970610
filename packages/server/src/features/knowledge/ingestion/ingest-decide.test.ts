import { describe, expect, test } from 'vitest'
import { decideFailure, decidePageAction, type ReadingFailure } from './ingest-decide.ts'

const NOW = Date.UTC(2026, 0, 5, 12)
const SITE = 'https://a.example/'
const goneFailure: ReadingFailure = { of: 'page', ok: false, reason: 'gone', message: 'No page.', retryable: false }
const down: ReadingFailure = { of: 'page', ok: false, reason: 'failed', message: 'Down.', retryable: true }
const refused: ReadingFailure = { of: 'page', ok: false, reason: 'refused', message: 'Robots.', retryable: false }
const busy: ReadingFailure = { of: 'document', ok: false, message: 'Busy.', retryable: true }

const source = { generation: 0, crawl_path: null, error: null, refreshed_at: null }
const read = { ...source, generation: 2, refreshed_at: 1 }
const finalized = (status: string, error: string) => ({ type: 'finalize', changes: { status, error } })

describe('a source that could not be read', () => {
  test.each([
    [source, down, 4, { type: 'retry' }],
    [source, down, 5, finalized('error', 'Down.')],
    [source, busy, 2, { type: 'retry' }],
    [source, busy, 3, finalized('error', 'Busy.')],
    [source, refused, 1, finalized('error', 'Robots.')],
    [source, goneFailure, 1, { type: 'finalize', changes: { status: 'error', error: 'No page.', refreshed_at: NOW } }],
    [{ ...source, crawl_path: SITE }, refused, 1, finalized('error', 'Robots.')],
    [{ ...source, crawl_path: SITE, refreshed_at: 1 }, goneFailure, 1, { type: 'remove' }],
    [{ ...read, crawl_path: SITE }, goneFailure, 1, { type: 'remove' }],
    [{ ...read, crawl_path: SITE }, down, 9, finalized('ready', 'Down.')],
    [read, refused, 1, finalized('ready', 'Robots.')],
    [read, goneFailure, 1, finalized('ready', 'Gone since 2026-01-05: No page.')],
    [
      { ...read, error: 'Gone since 2025-12-24: No.' },
      goneFailure,
      1,
      finalized('ready', 'Gone since 2025-12-24: No page.'),
    ],
    [{ ...read, error: 'Down.' }, goneFailure, 1, finalized('ready', 'Gone since 2026-01-05: No page.')],
  ])('%o, %o, attempt %i', (of, failure, attempt, expected) => {
    expect(decideFailure(of, failure, { attempt, now: NOW })).toEqual(expected)
  })
})

describe('a page of a site that leads elsewhere', () => {
  const moved = { identity: 'url:a', finalIdentity: 'url:b', isFirst: false, isWithin: true, other: null }
  test.each([
    [{ ...moved, finalIdentity: 'url:a' }, 'keep'],
    [moved, 'move'],
    [{ ...moved, isWithin: false }, 'drop'],
    [{ ...moved, other: 'of-site' as const }, 'drop'],
    [{ ...moved, other: 'elsewhere' as const }, 'drop'],
    [{ ...moved, isFirst: true }, 'move'],
    [{ ...moved, isFirst: true, isWithin: false }, 'keep'],
    [{ ...moved, isFirst: true, other: 'elsewhere' as const }, 'keep'],
    [{ ...moved, isFirst: true, other: 'of-site' as const }, 'drop'],
  ])('%o: %s', (page, expected) => expect(decidePageAction(page)).toBe(expected))
})
