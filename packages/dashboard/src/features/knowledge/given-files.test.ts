import { expect, test } from 'vitest'
import { type DroppedItem, givenFiles } from './given-files.ts'

const item = (name: string, isDirectory: boolean): DroppedItem<string> => ({
  kind: 'file',
  getAsFile: () => name,
  webkitGetAsEntry: () => ({ isDirectory, name }),
})
const words: DroppedItem<string> = { kind: 'string', getAsFile: () => null, webkitGetAsEntry: () => null }

test('folders of a drop are named beside its files', () => {
  expect(givenFiles([item('a.pdf', false), item('Manuals', true), words, item('b.txt', false)])).toEqual({
    files: ['a.pdf', 'b.txt'],
    folders: ['Manuals'],
  })
})

test('a drop of text alone gives nothing', () => {
  expect(givenFiles([words])).toEqual({ files: [], folders: [] })
})
