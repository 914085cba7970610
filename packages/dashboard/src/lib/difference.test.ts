import { expect, test } from 'vitest'
import { listDifferences, VERSION_FIELDS } from './difference.ts'

test('compares changed fields line by line and omits unchanged ones', () => {
  const before = { name: 'Ada', prompt: 'One\nTwo\nThree', version: 1 }
  const after = { name: 'Ada', prompt: 'One\n2\nThree', version: 2 }
  expect(listDifferences(before, after, VERSION_FIELDS)).toEqual([
    {
      field: 'prompt',
      lines: [
        { kind: 'same', text: 'One' },
        { kind: 'removed', text: 'Two' },
        { kind: 'added', text: '2' },
        { kind: 'same', text: 'Three' },
      ],
    },
  ])
})

test('compares objects as indented JSON', () => {
  const [difference] = listDifferences({ tools: [{ name: 'a' }] }, { tools: [{ name: 'b' }] })
  expect(difference?.lines.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => [kind, text.trim()])).toEqual([
    ['removed', '"name": "a"'],
    ['added', '"name": "b"'],
  ])
})

test('shortens long unchanged sections', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  const [difference] = listDifferences(
    { text: lines.join('\n') },
    { text: [...lines.slice(0, 50), 'new', ...lines.slice(50)].join('\n') },
  )
  expect(difference?.lines.map(({ text }) => text)).toEqual([
    '⋯',
    'line 47',
    'line 48',
    'line 49',
    'new',
    'line 50',
    'line 51',
    'line 52',
    '⋯',
  ])
})
