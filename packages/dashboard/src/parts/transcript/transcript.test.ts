import { describe, expect, test } from 'vitest'
import { groupPassagesByMessage, listSources, listTurnPassages, type TurnPassage } from './cited-passages.ts'
import { getProductLabel, getUnitLabel } from './cost-labels.ts'
import { formatCsv } from './csv-export.tsx'
import { formatValue, readObject } from './custom-data.ts'
import { readChoice, readCount, readDay, readFlag, readText, removeUndefined, toDateRange } from './search-params.ts'
import { findLineAtTime, formatPrettyJson, type TranscriptLine } from './transcript-line.ts'

const createPassage = (turnId: string, text: string, page: number | null = null): TurnPassage => ({
  turnId,
  text,
  page,
  knowledgeBaseId: 'kb_1',
  sourceId: 'source_1',
  sourceType: 'file',
  sourceName: 'Manual',
  url: null,
  headings: [],
  score: 1,
  mode: 'lexical',
})

describe('passages of a chat', () => {
  const createMessage = (
    id: string,
    turnId: string | null,
    role: 'user' | 'assistant' = 'assistant',
    content = 'Yes.',
  ) => ({
    ...{ message_id: id, turn_id: turnId, role, content },
  })

  test('belong to the last spoken message of their turn', () => {
    const messages = [
      createMessage('opening', null),
      createMessage('question', 'turn_1', 'user'),
      createMessage('one moment', 'turn_1'),
      createMessage('tools only', 'turn_1', 'assistant', ''),
      createMessage('answer', 'turn_1'),
      createMessage('later', 'turn_2'),
    ]
    const passages = [createPassage('turn_1', 'a'), createPassage('turn_1', 'b'), createPassage('turn_gone', 'c')]
    expect([...groupPassagesByMessage(messages, passages)]).toEqual([['answer', passages.slice(0, 2)]])
    expect(listTurnPassages(passages, null)).toEqual([])
  })

  test('list each page of a source once', () => {
    const sources = listSources([
      createPassage('turn_1', 'a', 3),
      createPassage('turn_1', 'b', 4),
      createPassage('turn_1', 'c', 3),
    ])
    expect(sources.map(({ page }) => page)).toEqual([3, 4])
  })
})

test.each([
  ['llm', 'input-token', 'Language model', 'input tokens'],
  ['llm', 'cached-input-token', 'Language model', 'cached input tokens'],
  ['analysis', 'output-token', 'Analysis', 'output tokens'],
  ['transcription', 'second', 'Speech recognition', 'seconds'],
  ['synthesis', 'character', 'Speech synthesis', 'characters'],
  ['toString', 'parsec', 'toString', 'parsec'],
])('the cost of %s in %s is labeled', (product, unit, productText, unitText) => {
  expect([getProductLabel(product), getUnitLabel(unit)]).toEqual([productText, unitText])
})

test('accepts only JSON objects', () => {
  expect(readObject('{"order": {"id": 7}, "__proto__": 1}')).toEqual(JSON.parse('{"order": {"id": 7}, "__proto__": 1}'))
  expect(readObject('  ')).toEqual({})
  for (const text of ['[]', 'null', '7', '"a"', '{"a": }', '{']) expect(readObject(text)).toBeNull()
})

test('formats texts unchanged and other values as JSON', () => {
  expect(formatValue('<b>ä</b>')).toBe('<b>ä</b>')
  expect(formatValue({ id: 7 })).toBe('{\n  "id": 7\n}')
  expect(formatValue(null)).toBe('null')
  expect(formatPrettyJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(formatPrettyJson('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})

describe('filters in a URL', () => {
  test.each([
    [readText('Ada'), 'Ada'],
    [readText(42), '42'],
    [readText('  '), undefined],
    [readText({ a: 1 }), undefined],
    [readText('x'.repeat(500))?.length, 200],
    [readChoice('ended', ['ended', 'error']), 'ended'],
    [readChoice('gone', ['ended']), undefined],
    [readCount('3'), 3],
    [readCount(0), undefined],
    [readCount(1.5), undefined],
    [readCount(9e12), undefined],
    [readFlag(true), true],
    [readFlag('yes'), undefined],
    [readDay('2026-02-28'), '2026-02-28'],
    [readDay('2026-02-30'), undefined],
    [readDay('2026-2-1'), undefined],
    [readDay(20260101), undefined],
  ])('are read or omitted: %j is %j', (read, expected) => expect(read).toBe(expected))

  test('are omitted without a value', () => {
    expect(removeUndefined({ agent: 'agent_1', page: undefined })).toEqual({ agent: 'agent_1' })
  })

  test('include the whole first and last day', () => {
    const { startDate = '', endDate = '' } = toDateRange('2026-11-23', '2026-11-24')
    expect([new Date(startDate).getDate(), new Date(startDate).getHours()]).toEqual([23, 0])
    expect([new Date(endDate).getDate(), new Date(Date.parse(endDate) + 1).getHours()]).toEqual([24, 0])
    expect(toDateRange(undefined, undefined)).toEqual({})
  })
})

test('the playing line is the last one that started', () => {
  const createLine = (id: string, atMs: number | null, role: TranscriptLine['role'] = 'user'): TranscriptLine => ({
    ...{ id, role, name: 'Caller', text: id, atMs, isInterrupted: false, isIncomplete: false },
  })
  const lines = [
    createLine('a', 500),
    createLine('b', 2_000),
    createLine('c', null),
    createLine('d', 2_500, 'event'),
    createLine('e', 9_000),
  ]
  expect(findLineAtTime(lines, 0)).toBeNull()
  expect(findLineAtTime(lines, 500)?.id).toBe('a')
  expect(findLineAtTime(lines, 8_999)?.id).toBe('b')
  expect(findLineAtTime(lines, 60_000)?.id).toBe('e')
  expect(findLineAtTime([], 1)).toBeNull()
})

describe('a CSV file', () => {
  test.each([
    ['=HYPERLINK("https://a.example")', `"'=HYPERLINK(""https://a.example"")"`],
    ['+15550100001', "'+15550100001"],
    ['-1+2', "'-1+2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    [-0.5, '-0.5'],
    [null, ''],
    ['Ada, "the first"\nof her name', '"Ada, ""the first""\nof her name"'],
    ['سلام 👋', 'سلام 👋'],
  ])('has no formulas and keeps %j in one cell', (value, cell) => {
    expect(formatCsv([['Name', value]])).toBe(`Name,${cell}\r\n`)
  })
})
