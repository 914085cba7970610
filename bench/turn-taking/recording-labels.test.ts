import { expect, test } from 'vitest'
import { readLabels } from './recording-labels.ts'

const toTsv = (...lines: readonly (readonly (string | number)[])[]): string =>
  lines.map((cells) => cells.join('\t')).join('\n')
const HEAD = ['file', 'kind', 'start_ms', 'end_ms', 'text', 'pause_start_ms', 'pause_end_ms', 'level_db']

test('reads events, pauses and levels', () => {
  const source = toTsv(
    HEAD,
    ['a.wav', 'backchannel', 100, 400, 'mhm'],
    ['a.wav', 'noise', 0, 900, '', '', '', -6],
    ['b.wav', 'pause', 0, 3_000, 'I would like|a table', 900, 2_000],
  )
  expect(readLabels(`${source}\n`)).toEqual([
    { file: 'a.wav', kind: 'backchannel', startMs: 100, endMs: 400, text: 'mhm', pause: null, levelDb: null },
    { file: 'a.wav', kind: 'noise', startMs: 0, endMs: 900, text: '', pause: null, levelDb: -6 },
    {
      file: 'b.wav',
      kind: 'pause',
      startMs: 0,
      endMs: 3_000,
      text: 'I would like|a table',
      pause: { startMs: 900, endMs: 2_000 },
      levelDb: null,
    },
  ])
})

test.each([
  [['a.wav', 'laugh', 0, 1], 'Line 2: kind is one of'],
  [['a.wav', 'noise', 5, 1], 'Line 2: start_ms is before end_ms.'],
  [['a.wav', 'noise', 0, 1, '', '', '', 'loud'], 'Line 2: level_db is a number.'],
  [['a.wav', 'pause', 0, 1_000, 'a|b', 900, 2_000], 'Line 2: A pause needs'],
  [['a.wav', 'pause', 0, 1_000, 'a b', 100, 900], 'Line 2: The text of a pause'],
])('rejects %j', (line, message) => {
  expect(() => readLabels(toTsv(HEAD, line))).toThrow(message)
})

test('rejects labels without a required column', () => {
  expect(() => readLabels('file\tkind\tstart_ms\n')).toThrow('The column "end_ms" is missing.')
})
