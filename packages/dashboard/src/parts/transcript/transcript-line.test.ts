import { expect, test } from 'vitest'
import { lineAt, prettyJson, type TranscriptLine } from './transcript-line.ts'

const line = (id: string, atMs: number | null, role: TranscriptLine['role'] = 'user'): TranscriptLine => ({
  id,
  role,
  name: 'Caller',
  text: id,
  atMs,
  isInterrupted: false,
  isIncomplete: false,
})

test('the line that is heard is the last one that has begun', () => {
  const lines = [line('a', 500), line('b', 2_000), line('c', null), line('d', 2_500, 'event'), line('e', 9_000)]
  expect(lineAt(lines, 0)).toBeNull()
  expect(lineAt(lines, 500)?.id).toBe('a')
  expect(lineAt(lines, 8_999)?.id).toBe('b')
  expect(lineAt(lines, 60_000)?.id).toBe('e')
  expect(lineAt([], 1)).toBeNull()
})

test('JSON is shown a field in a line, other texts stay as they are', () => {
  expect(prettyJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(prettyJson('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})
